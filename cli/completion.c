/* SPDX-License-Identifier: MIT */
/* pmon completion: the scripts that make shells call pmon __complete. */
#include <string.h>
#include "cli/common/cli.h"

/* Bash splits words at = and : too; the script therefore splits the line at blanks itself, and cuts off the part that
 * bash regards as complete. */
static const char bash_script[] =
    "_pmon() {\n"
    "  local line=${COMP_LINE:0:COMP_POINT} cur=${COMP_WORDS[COMP_CWORD]} IFS=$' \\t\\n'\n"
    "  local words; read -ra words <<< \"$line\"\n"
    "  case $line in *[[:blank:]]) words+=('') ;; esac\n"
    "  local full=${words[${#words[@]}-1]}\n"
    "  case $cur in '='|':') cur= ;; esac\n"
    "  local done=${full%\"$cur\"}\n"
    "  IFS=$'\\n'\n"
    "  COMPREPLY=($(\"${COMP_WORDS[0]}\" __complete \"${words[@]:1}\" 2>/dev/null))\n"
    "  COMPREPLY=(\"${COMPREPLY[@]#\"$done\"}\")\n"
    "  case ${COMPREPLY[0]} in *[./=,]) compopt -o nospace ;; esac\n"
    "}\n"
    "complete -o default -F _pmon pmon\n";
/* As a file in $fpath, it is loaded at the first completion, which it then makes; evaluated, it only registers. The
 * word at the cursor is passed even if it is empty. A blank follows a complete word, not one that ends with a dot or a
 * slash. */
static const char zsh_script[] =
    "#compdef pmon\n"
    "_pmon() {\n"
    "  local -a found more\n"
    "  found=(${(f)\"$(${~words[1]} __complete \"${(@Q)words[2,CURRENT]}\" 2>/dev/null)\"})\n"
    "  (( $#found )) || { _files; return }\n"
    "  more=(${(M)found:#*[./=,]}) found=(${found:#*[./=,]})\n"
    "  (( $#more )) && compadd -Q -S '' -- $more\n"
    "  (( $#found )) && compadd -Q -- $found\n"
    "}\n"
    "if [ \"$funcstack[1]\" = _pmon ]; then\n"
    "  _pmon \"$@\"\n"
    "else\n"
    "  compdef _pmon pmon\n"
    "fi\n";
/* Files are offered where pmon offers nothing. */
static const char fish_script[] = "function __pmon_complete\n"
                                  "  set -l words (commandline -opc)\n"
                                  "  set -l word (commandline -ct)\n"
                                  "  set -l program (string replace -r '^~' ~ -- $words[1])\n"
                                  "  type -q $program; or set program pmon\n"
                                  "  set -l found ($program __complete $words[2..-1] \"$word\" 2>/dev/null)\n"
                                  "  if set -q found[1]\n"
                                  "    printf '%s\\n' $found\n"
                                  "  else\n"
                                  "    __fish_complete_path \"$word\"\n"
                                  "  end\n"
                                  "end\n"
                                  "complete -c pmon -f -a '(__pmon_complete)'\n";

static int run_completion(struct cli *cli, int argc, char **argv)
{
  static const struct {
    const char *shell, *script;
  } scripts[] = {
      {"bash", bash_script},
      {"zsh", zsh_script},
      {"fish", fish_script},
  };
  struct cli_options o;
  int result;
  if (cli_read_options(cli, argc, argv, &o, &result) != 0)
    return result;
  for (size_t i = 0; o.n == 1 && i < sizeof scripts / sizeof *scripts; i++)
    if (strcmp(o.args[0], scripts[i].shell) == 0) {
      out_text(&cli->out, scripts[i].script);
      return CLI_DONE;
    }
  return o.n ? cli_fail_word(cli, "SHELL", o.args[0], "bash zsh fish") : cli_fail_missing(cli, "SHELL");
}

const struct cli_command completion_command = {
    .name = "completion",
    .arguments = "bash|zsh|fish",
    .brief = "print a script that makes the shell complete names",
    .run = run_completion,
    .notes = "bash: eval \"$(pmon completion bash)\"; zsh: the same;\n"
             "fish: pmon completion fish | source\n",
    .value = CLI_WORDS,
    .words = "bash zsh fish",
};
