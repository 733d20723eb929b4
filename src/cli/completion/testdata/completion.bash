# Completion of millrace for bash 4 or newer.
_millrace() {
  local word="${COMP_WORDS[COMP_CWORD]}" place='' next one words='' flags=''
  for one in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    next="${place:+$place }$one"
    case "$next" in
    'cars'|'cars list'|'paint') place="$next" ;;
    esac
  done
  case "$place" in
    '') words='cars paint help' flags='--help -h' ;;
    'cars') words='list help' flags='--help -h' ;;
    'cars list') words='' flags='--colour -c --owner --help -h' ;;
    'paint') words='red blue' flags='--help -h' ;;
  esac
  case "$place ${COMP_WORDS[COMP_CWORD-1]}" in
    'cars list --colour'|'cars list -c') words='red blue' flags='' ;;
    'cars list --owner') words='' flags='' ;;
  esac
  [[ "$word" == -* ]] && words="$flags"
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -o bashdefault -o default -F _millrace millrace
