"""From one passing run of each kernel to the failure: what was predicted, what of it was executed, what it led to."""
import pathlib
import tempfile
import tomllib

from sections.measure import run_json, table


def predict(build, rounds):
    root = pathlib.Path(__file__).resolve().parent.parent.parent
    rows, predictable, found, strict, strict_confirmed = [], 0, 0, 0, 0
    for kernel in sorted(path.parent for path in (root / "kernels").glob("*/expect.toml")):
        expected = tomllib.loads((kernel / "expect.toml").read_text())
        if (kernel / "client.cpp").exists():
            continue  # a server, and its client is not in the trace
        with tempfile.TemporaryDirectory() as folder:
            report, code = run_json([build / "bin/heddle", "predict", "--json", "--quiet", "--all", "--time", "30s", "--out",
                                     folder, "--", build / "kernels" / kernel.name / "kernel"])
        if code not in (0, 1):
            rows.append([kernel.name, expected["predictable"], "-", "-", "-", "-", "-", "-", "-", report.get("error", "")])
            predictable += expected["predictable"]
            continue
        kinds = {a["failure"]["kind"] for a in report["anomalies"] if a["failure"]}
        fails = bool(kinds & {expected["kind"], *expected.get("also", [])})
        strictly = [a for a in report["anomalies"] if a["rung"] == "strict" and a["status"] != "predicted"]
        strict += len(strictly)
        strict_confirmed += sum(a["status"] == "confirmed" for a in strictly)
        predictable += expected["predictable"]
        found += fails and expected["predictable"]
        rows.append([kernel.name, "yes" if expected["predictable"] else "no", report["events"], report["predicted"],
                     report["confirmed"], report["failing"], report["infeasible"], report["not_reached"],
                     f"{report['analysis_seconds']:.2f} / {report['validation_seconds']:.1f}", "yes" if fails else "no"])
    summary = [["predictable kernels made to fail from one passing run", f"{found} of {predictable}", ">= 90 %"],
               ["strict witnesses whose execution showed the anomaly", f"{strict_confirmed} of {strict}", ">= 95 %"]]
    return ("## Predicting: the corpus\n\nOne sequential run of each kernel is recorded, everything that is predicted from it is "
            "executed, and only what was seen to happen counts as confirmed.\n\n" + table(["what", "measured", "bar"], summary)
            + "\n\n" + table(["kernel", "predictable", "events", "predicted", "confirmed", "lead to a failure", "infeasible",
                              "not reached", "seconds to analyse / execute", "its failure"], rows))


SECTIONS = {"predict": predict}
