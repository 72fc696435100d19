#!/bin/sh
# Tells AICR Bot of a Perforce changelist. It never makes the committer wait: it returns at once, exits 0 whatever
# happens, and passes on nothing but the number. What it cannot tell, the bot finds when it looks by itself.
#
# In the table of "p4 triggers", on one line:
#   aicr change-commit //depot/game/... "/path/to/p4-change-commit.sh http://127.0.0.1:8787 /path/to/key %changelist%"
#
# The first line of the key file is the key of this repository (triggers.p4, api_key_env). Nobody but the user that
# runs the server needs to read the file.

address=${1%/}
key_file=$2
number=$3
PATH=${PATH:-/usr/local/bin:/usr/bin:/bin}
export PATH

case $number in
  '' | *[!0-9]*)
    echo "usage: p4-change-commit.sh <address of the bot> <key file> <number>" >&2
    exit 0
    ;;
esac

tell() {
  # curl reads the key from its standard input: arguments can be seen by every user of the machine.
  sed -e 's/[\\"]/\\&/g' -e 's/.*/header = "X-API-Key: &"/' -e q "$key_file" |
    curl -q --silent --max-time 2 --proto '=http,https' --config - \
      --header 'Content-Type: application/x-www-form-urlencoded' --data "change=$number" \
      --url "$address/triggers/p4"
}

# Whoever started us waits for every descriptor that a child keeps open. Only exec lets go of them: for a redirected
# function the shell keeps copies.
(
  exec </dev/null >/dev/null 2>&1 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
  tell
) &
exit 0
