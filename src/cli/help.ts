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
  FIELDSTONE_PACKS          the folder of local packs (DATA/packs)
  FIELDSTONE_MIRROR         where every call to another server goes instead: https://name/path becomes <mirror>/name/path
  FIELDSTONE_OVERPASS       the Overpass instance that may be asked for OpenStreetMap fallbacks (none)
  FIELDSTONE_STALE_DAYS     for how many days past its time a kept answer may stand in for a source that fails, at most 7 (0)
  CENSUS_API_KEY, NLR_API_KEY, AIRNOW_API_KEY, REGRID_API_TOKEN   the keys of sources that ask for one
  FIELDSTONE_CONCURRENCY    locations in work at once (32)
  FIELDSTONE_QUEUE          locations waiting; beyond them requests are refused as fetch_busy (64)
  FIELDSTONE_RATE_LIMIT     requests of an account a minute (0: as many as it likes)
  FIELDSTONE_DAILY_QUOTA    requests of an account a day (0: as many as it likes)
  FIELDSTONE_ALLOWED_HOSTS  further names this server answers to, with commas between
  FIELDSTONE_LOG            info or error: JSON lines on stderr (info)`,
  fetch: `fieldstone fetch --at <lat,lng> | --address <address>  [--fields <a,b,...>] [--preset <name>] [--data <folder>]

Named fields at one place, answered in this process on its own data folder, with no server. Prints the answer of POST /v1/fetch; exit code 1 when it is refused.
--data names the folder whose packs and cache are used; one that a server holds is in use.`,
  geocode: `fieldstone geocode "<address>" [--data <folder>]

The place of one US street address, in this process. Prints the answer of POST /v1/geocode; exit code 1 when it is refused.`,
  lookup: `fieldstone lookup "<address or lat,lng>" [--include-parcel] [--data <folder>]

The join keys and the context of one place, in this process. Prints the answer of POST /v1/lookup; exit code 1 when it is refused.`,
  ask: `fieldstone ask "<question>" --at <lat,lng> | --address <address>  [--json] [--trace] [--data <folder>]

A question in words about one place, answered in this process from fetched fields: the text as it is written, then its sources.
Exit code 1 when it is refused.

  --json   the answer of POST /v1/ask instead
  --trace  also how the answer came about

  ANTHROPIC_API_KEY            with it a model chooses the fields and writes the answer; without it, or when it fails, the built-in does
  ANTHROPIC_BASE_URL           where the models are asked (https://api.anthropic.com)
  FIELDSTONE_PLANNER_MODEL     which model chooses (claude-haiku-5-5)
  FIELDSTONE_SYNTHESIZER_MODEL which model writes (claude-sonnet-5-5)
  FIELDSTONE_ASK_BUILTIN       0: without a model questions are refused, ask_unavailable (1)`,
  token: `fieldstone token new [--name <words>] [--data <folder>]

Makes a token of the owner's, good for 90 days, and prints it. It is shown this once; only its hash is kept.
Works while the server runs.`,
  doctor: `fieldstone doctor --live [<dataset> ...] [--json]

Asks every dataset that has a source on another server (or those that are named) for its fields at known places, without the cache, and
prints a table: dataset, host, status, latency, fields answered, place, and what went wrong. Exit code 1 when a source failed or had no value anywhere.`,
  pack: `fieldstone pack build <dataset> <file ...> [options]
fieldstone pack fetch <dataset> [options]
fieldstone pack list [--all] [--json]
fieldstone pack verify [<file> ...]
fieldstone pack remove <dataset>

A pack is a file in <data>/packs that a dataset is answered from, without a network. A running service takes it within 2 seconds.
build reads GeoJSON, GeoJSONSeq, FlatGeobuf, shapefiles, GeoParquet, GeoPackage and CSV, by what is in them, also in a ZIP archive; several files become
one layer. fetch downloads the publisher's file first (FIELDSTONE_MIRROR and FIELDSTONE_OFFLINE hold for it) and goes on where it was interrupted.
build addresses (National Address Database text, OpenAddresses CSV or GeoJSON) and build address-ranges (TIGER/Line ADDRFEAT shapefiles) make the packs
of the local geocoder; any mix of files and states goes into one.
verify checks that the file is whole, its coordinate system, its columns against the catalog, and its checksum: exit code 1 when one is not good.
list --all says where the pack of each dataset would lie. The datasets of <data>/catalog.d count as those of the catalog do.

  --layer <name>         which layer of the pack this is, where the catalog reads several
  --source-layer <name>  which layer of the input is meant, where it has several
  --crs EPSG:<number>    the coordinate system of the input, where it does not say one
  --where <condition>    only the features for which it holds, as SQLite writes it, by the names in the pack: "ACRES > 5 AND STATE = 'DC'"
  --rename <a>=<b>,...   the column a of the input is b in the pack
  --number <name>        a column that gets the number of the feature, where the input has no key of its own
  --whole                polygons of more than 512 vertices are not cut into pieces, which other programs would show one by one
  --lat, --lng <name>    the columns with the coordinates, of a CSV with names of its own
  --vintage <words>      of when the data is (the date of the newest input)
  --coverage <west>,<south>,<east>,<north>, or a GeoJSON file of one polygon: where the data is complete (the box round it)
  --out <file>           another place than the one where it is served from`,
  run: `fieldstone run <file.csv> --preset <name> | --fields <a,b> [options]

Answers the fields at every row of a CSV and writes a CSV beside it: a row for a row, with the columns of the file at the right. Rows are recognised by
the columns lat and lng, address, or street, city, state and zip; separators, quotes and line breaks are found out. Goes on where it was interrupted when
the same command is given again. Without --server it works on the data folder of this machine, which no server may be using.

  --preset <name>     the fields of a preset
  --fields <a,b>      further fields, by name
  --out <file.csv>    where the result goes (<file>.<preset>.csv, in the current folder)
  --kind <name>       fetch_batch, geocode_batch or lookup_batch (fetch_batch)
  --server <address>  a server to work on, and --token <token> for it (FIELDSTONE_TOKEN)
  --data <folder>     where the state is kept (FIELDSTONE_DATA, ./data)

Exit codes: 0 done, 1 refused, 130 interrupted.`,
  user: `fieldstone user add <name> [--scopes <a,b>] [--data <folder>]
fieldstone user link [<name>] [--data <folder>]

add makes an account and prints a link, good once and for a week, at which the person sets a password. link prints one for an account that is there (the
owner's when no name is given), for a first or a new password. Both work while the server runs; the link begins with FIELDSTONE_BASE_URL.

  --scopes <a,b>  what the account may do: some of fetch,geocode,lookup,parcel,ask,runs,admin (all but parcel and admin)`,
  login: `fieldstone login [--server <address>] [--scopes <a,b>]

Logs in at a server without typing a password here: shows a code, which you confirm in a browser. The login is kept in ~/.config/fieldstone, readable by you
alone, and is what \`fieldstone mcp\` uses. Scopes that are not named: all but parcel and admin.`,
  mcp: `fieldstone mcp [--server <address>]
fieldstone mcp --local [--data <folder>]

Speaks the Model Context Protocol on standard input and output, for an agent on this machine: on behalf of a server, with the login of \`fieldstone login\` (or
with FIELDSTONE_TOKEN); with --local from within this process, without a server or an account.`,
  version: `fieldstone version [--json]

Prints the version.`,
}

export const commandNames = [...Object.keys(pages), 'help']

/** The page of a command, or the overview. */
export function helpOf(command: string | undefined): string {
  if (command !== undefined && Object.hasOwn(pages, command)) return pages[command]!
  return `Fieldstone: what is true of this place? Named fields for any US coordinate, each with its provenance.

  fieldstone serve      answer HTTP (also what it does when no command is named)
  fieldstone fetch      named fields at one place, without a server
  fieldstone geocode    the place of an address
  fieldstone lookup     the join keys and the context of a place
  fieldstone ask        a question in words about a place
  fieldstone token new  make a further token of the owner's
  fieldstone user       invite a person, or make a link for a new password
  fieldstone login      log in at a server from this machine
  fieldstone mcp        the agent protocol on standard input and output
  fieldstone doctor     ask the sources on other servers whether they answer
  fieldstone pack       make, fetch, list, verify and remove packs: data in files of your own
  fieldstone run        answer the rows of a CSV
  fieldstone version    the version
  fieldstone help <command>

Exit codes: 0 done; 1 something was refused or found faulty; 64 the command line is wrong; 70 a fault of ours; 78 the configuration or the data folder cannot be used.`
}
