#!/usr/bin/env python3
"""Man pages and shell completion, from the output of `heddle --help` and `heddle VERB --help`."""
import argparse
import pathlib
import re
import subprocess


def help_of(heddle, *verb):
    return subprocess.run([heddle, *verb, "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout


def verbs_of(text):
    """Name and one line of each verb, from the overview."""
    return re.findall(r"^  ([a-z]+)\s{2,}(\S.*)$", text, flags=re.M)


def options_of(text):
    """[(names and value, what it does)]; a description may continue in the next lines."""
    rows = []
    for line in text.splitlines():
        option = re.match(r"^  (-\S.*?)(?:\s{2,}(\S.*))?$", line)
        more = re.match(r"^\s{20,}(\S.*)$", line)
        if option:
            rows.append([option[1], option[2] or ""])
        elif more and rows:
            rows[-1][1] = (rows[-1][1] + " " + more[1]).strip()
        elif not line.strip():
            continue
    return [tuple(row) for row in rows]


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line.startswith((".", "'")) else line for line in text.splitlines())


def page(name, line, usage, options, footer, also):
    parts = [f'.TH {name.upper()} 1 "" "Heddle" "Heddle"', ".SH NAME", f"{roff(name)} \\- {roff(line)}", ".SH SYNOPSIS",
             f".B {roff(usage)}"]
    if options:
        parts.append(".SH OPTIONS")
        for names, does in options:
            parts += [".TP", f".B {roff(names)}", roff(does) or "\\&"]
    parts += [".SH EXIT STATUS", "0 done; 1 a failure was found, or a clip did not reproduce; 2 usage; 3 the "
              "program could not be controlled."]
    if footer:
        parts += [".SH EXAMPLE", ".nf", roff(footer), ".fi"]
    parts += [".SH SEE ALSO", ", ".join(f".BR {roff(other)} (1)" for other in also).replace(", .BR", ",\n.BR")]
    return "\n".join(parts) + "\n"


def split_help(text):
    """Usage and the text at the end."""
    usage = re.search(r"^Usage:\s*(.*)$", text, flags=re.M)
    example = re.search(r"^Example: .*", text, flags=re.M | re.S)
    return (usage[1] if usage else ""), (example[0].strip() if example else "")


def completion(verbs, options):
    cases = "\n".join(f'    {verb}) words="{" ".join(options[verb])}" ;;' for verb, _ in verbs)
    return f"""# bash completion for heddle; made by tools/make_cli_pages.py
_heddle() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} words="" i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    # What comes after -- is a program and its arguments.
    if [[ ${{COMP_WORDS[i]}} == -- ]]; then
      compopt -o default 2>/dev/null
      return
    fi
  done
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "{' '.join(verb for verb, _ in verbs)} --help --version" -- "$current"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
{cases}
  esac
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  else
    compopt -o default 2>/dev/null
  fi
}}
complete -F _heddle heddle
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--heddle", required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    args = parser.parse_args()
    man = args.out / "man/man1"
    completions = args.out / "bash-completion/completions"
    for folder in (man, completions):
        folder.mkdir(parents=True, exist_ok=True)
    text = help_of(args.heddle)
    verbs = verbs_of(text)
    names = ["heddle"] + ["heddle-" + verb for verb, _ in verbs]
    usage, example = split_help(text)
    top = [(f"heddle {verb}", line) for verb, line in verbs]
    (man / "heddle.1").write_text(page("heddle", "find, reproduce and explain concurrency bugs in C and C++ programs",
                                       "heddle VERB [OPTIONS] [-- PROGRAM ARGUMENTS]", top, example, names[1:]))
    options = {}
    for verb, line in verbs:
        text = help_of(args.heddle, verb)
        usage, example = split_help(text)
        rows = options_of(text)
        options[verb] = sorted({name for names_of, _ in rows for name in re.findall(r"--[a-z][a-z-]*", names_of)})
        (man / f"heddle-{verb}.1").write_text(page(f"heddle-{verb}", line, usage or f"heddle {verb}", rows, example,
                                                   [name for name in names if name != f"heddle-{verb}"]))
    (completions / "heddle").write_text(completion(verbs, options))


main()
