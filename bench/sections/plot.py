"""Plots without a library: curves on two logarithmic axes, as SVG."""
import math

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 400, 70, 130, 40, 50
COLOURS = ["#1f77b4", "#d62728", "#2ca02c", "#9467bd"]


def decades(values):
    return math.floor(math.log10(min(values))), max(math.ceil(math.log10(max(values))),
                                                    math.floor(math.log10(min(values))) + 1)


def label(exponent):
    return f"10<tspan dy='-6' font-size='9'>{exponent}</tspan>"


def log_log_plot(path, title, x_name, curves):
    """`curves`: (name, [(x, y)]); all positive."""
    x_low, x_high = decades([x for _, points in curves for x, _ in points])
    y_low, y_high = decades([y for _, points in curves for _, y in points])

    def place(x, y):
        return (LEFT + (math.log10(x) - x_low) / (x_high - x_low) * (WIDTH - LEFT - RIGHT),
                HEIGHT - BOTTOM - (math.log10(y) - y_low) / (y_high - y_low) * (HEIGHT - TOP - BOTTOM))

    parts = [f"<svg xmlns='http://www.w3.org/2000/svg' width='{WIDTH}' height='{HEIGHT}' font-family='sans-serif' "
             "font-size='12'>", f"<rect width='{WIDTH}' height='{HEIGHT}' fill='white'/>",
             f"<text x='{LEFT}' y='24' font-size='15'>{title}</text>"]
    for exponent in range(x_low, x_high + 1):
        x, bottom = place(10 ** exponent, 10 ** y_low)
        parts += [f"<line x1='{x:.1f}' y1='{TOP}' x2='{x:.1f}' y2='{bottom:.1f}' stroke='#ddd'/>",
                  f"<text x='{x:.1f}' y='{HEIGHT - BOTTOM + 18}' text-anchor='middle'>{label(exponent)}</text>"]
    for exponent in range(y_low, y_high + 1):
        left, y = place(10 ** x_low, 10 ** exponent)
        parts += [f"<line x1='{left:.1f}' y1='{y:.1f}' x2='{WIDTH - RIGHT}' y2='{y:.1f}' stroke='#ddd'/>",
                  f"<text x='{left - 8:.1f}' y='{y + 4:.1f}' text-anchor='end'>{label(exponent)}</text>"]
    parts.append(f"<text x='{(LEFT + WIDTH - RIGHT) / 2}' y='{HEIGHT - 12}' text-anchor='middle'>{x_name}</text>")
    for (name, points), colour in zip(curves, COLOURS):
        places = [place(x, y) for x, y in points]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        parts.append(f"<polyline points='{line}' fill='none' stroke='{colour}' stroke-width='2'/>")
        parts += [f"<circle cx='{x:.1f}' cy='{y:.1f}' r='3' fill='{colour}'/>" for x, y in places]
        parts.append(f"<text x='{places[-1][0] + 8:.1f}' y='{places[-1][1] + 4:.1f}' fill='{colour}'>{name}</text>")
    path.write_text("\n".join(parts) + "\n</svg>\n")
