/** The commands, each with its own page. */
const pages: Record<string, string> = {
  serve: `fieldstone serve [--host <name>] [--port <number>] [--data <folder>] [--env-file <file>]

Answers HTTP until it is stopped (SIGTERM or Ctrl-C: answers under way are finished first).
The first start makes the owner and prints the owner's token, once.

  --host <name>      where it listens (FIELDSTONE_HOST, 127.0.0.1)
  --port <number>    its port, 0 for any that is free (FIELDSTONE_PORT, 8080)
  --data <folder>    where it keeps its state (FIELDSTONE_DATA, ./data)
  --env-file <file>  a file of NAME=value lines; no such file is read unless it is named

  FIELDSTONE_BASE_URL       what links say (http://host:port)
  FIELDSTONE_AUTH           off: no tokens, on a loopback address only (on)
  FIELDSTONE_TOKEN          the owner's token, for unattended installs
  FIELDSTONE_OFFLINE        1: no network at all (0)
  FIELDSTONE_CONCURRENCY    locations in work at once (32)
  FIELDSTONE_QUEUE          locations waiting; beyond them requests are refused as fetch_busy (64)
  FIELDSTONE_ALLOWED_HOSTS  further names this server answers to, with commas between
  FIELDSTONE_LOG            info or error: JSON lines on stderr (info)`,
  token: `fieldstone token new [--name <words>] [--data <folder>]

Makes a token of the owner's, good for 90 days, and prints it. It is shown this once; only its hash is kept.
Works while the server runs.`,
  version: `fieldstone version [--json]

Prints the version.`,
}

export const commandNames = [...Object.keys(pages), 'help']

/** The page of a command, or the overview. */
export function helpOf(command: string | undefined): string {
  if (command !== undefined && Object.hasOwn(pages, command)) return pages[command]!
  return `Fieldstone: what is true of this place? Named fields for any US coordinate, each with its provenance.

  fieldstone serve      answer HTTP (also what it does when no command is named)
  fieldstone token new  make a further token of the owner's
  fieldstone version    the version
  fieldstone help <command>

Exit codes: 0 done; 64 the command line is wrong; 70 a fault of ours; 78 the configuration or the data folder cannot be used.`
}
