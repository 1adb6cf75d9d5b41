import { datasetNames, sharedOptions } from '../shared-options.ts'
import type { CommandPage } from '../command-page.ts'

/** `fieldstone doctor`. */
export const doctorPage: CommandPage = {
  summary: 'Check the data folder, the database, packs and sources',
  usage: [
    'doctor [--clock] [--json]',
    'doctor --recover',
    'doctor --live [<dataset> …] [--record <folder>] [--json]',
    'doctor --canaries [<dataset> …] [--record <folder>] [--json]',
  ],
  description: [
    'Checks the data folder (write access, free space, permissions, reserve file), the whole database, backups, local layers and packs. For each problem it prints what to do. It changes nothing and works while the server runs.',
    'With --recover, it copies the readable rows of a damaged database into a new file in the same folder. It does not change the damaged file. It prints what was lost. If data was lost, the exit code is 1. Stop the server first.',
    'With --live, it queries the sources of the given datasets, or of all datasets. It bypasses the cache and fetches the fields of each dataset at built-in test places. It prints a table: dataset, host, status, latency, fields answered, place and remark.',
    'It also checks the canaries of each dataset. A canary is a field at a place where the right answer is known and does not change. A second table gives the result of each canary: right, slow, wrong (with the expected and the received value), failed, or changed. Changed means that the publisher changed a name, a code, the unit or the host.',
    'With --canaries, it asks only the canaries. With --record, everything that they asked and answered is also in one file, <folder>.tar, which you can send to whoever maintains the catalog. It has no API key, no mail address and no place but those of the canaries. Run it once a month.',
  ],
  maxArguments: Infinity,
  argumentCompletion: { names: datasetNames },
  options: {
    clock: { description: 'Also compare the system clock with the clock of a source. Needs the network.' },
    recover: { description: 'Copy the readable rows of the database into a new file.' },
    live: { description: 'Query the sources.' },
    canaries: { description: 'Ask only the canaries of the sources.' },
    record: {
      valueName: 'folder',
      description:
        'With --live or --canaries, write the requests and responses of the canaries to manifest.tsv and recorded/ in this folder, their results to canaries.json, and all of it to <folder>.tar. API keys and mail addresses are left out.',
    },
    json: sharedOptions.json,
    data: sharedOptions.data,
  },
  environment: [
    'FIELDSTONE_OFFLINE',
    'FIELDSTONE_MIRROR',
    'FIELDSTONE_OVERPASS',
    'CENSUS_API_KEY',
    'NLR_API_KEY',
    'NLR_API_EMAIL',
    'AIRNOW_API_KEY',
    'EIA_API_KEY',
    'REGRID_API_TOKEN',
  ],
  exitCodes: {
    1: 'A check failed, or data was lost. With --live, a source failed or returned no value anywhere. With --live and --canaries, a canary is wrong, changed or failed.',
    78: 'The server would not start with this data folder.',
  },
  examples: [
    ['fieldstone doctor', 'Check this machine'],
    ['fieldstone doctor --live', 'Check every source'],
    ['fieldstone doctor --canaries --record canaries', 'Record what the canaries answered'],
    ['fieldstone doctor --live usgs_wbd_huc12 --json', 'Check the source of one dataset and print JSON'],
  ],
}

/** `fieldstone healthcheck`. */
export const healthcheckPage: CommandPage = {
  summary: 'Check that the server on this machine answers',
  usage: ['healthcheck [--port <number>]'],
  description: [
    "Requests /healthz from the server on this machine, at its configured host and port. It exits with 0 if the server is healthy. The timeout is 3 seconds. It needs no shell and no token, so it suits a container's HEALTHCHECK.",
  ],
  options: {
    host: {
      valueName: 'name',
      description:
        'Host of the server (FIELDSTONE_HOST). For 0.0.0.0 and ::, the request goes to the loopback address.',
      defaultText: '127.0.0.1',
    },
    port: { valueName: 'number', description: 'Port of the server (FIELDSTONE_PORT).', defaultText: '8080' },
  },
  environment: ['FIELDSTONE_HOST', 'FIELDSTONE_PORT'],
  exitCodes: { 1: 'The server does not answer, or is not healthy.' },
  examples: [['fieldstone healthcheck', 'Check the server at 127.0.0.1:8080']],
}

/** `fieldstone nodes`. */
export const nodesPage: CommandPage = {
  summary: 'List the server processes that use the same state',
  usage: ['nodes [--json]'],
  description: [
    'Lists the nodes: the server processes that use the database in FIELDSTONE_DATABASE, or the data folder. It works while they run, and changes nothing.',
    'For each node, it prints the host, the process, the version, the start, the last heartbeat, the unfinished runs, and how many of these runs only this node may write now (leases). The last column says how often tokens were revoked since the last heartbeat.',
    'With a database or with several processes, a node sends a heartbeat every 5 seconds; otherwise, every minute. A node without one for five minutes is no longer listed. A node that stops is removed at once.',
  ],
  options: { json: sharedOptions.json, data: sharedOptions.data },
  environment: ['FIELDSTONE_DATA', 'FIELDSTONE_DATABASE'],
  exitCodes: {
    75: 'The PostgreSQL database cannot be reached.',
    78: 'The state cannot be used with these settings, or an older release wrote it.',
  },
  examples: [['fieldstone nodes --json', 'List the nodes as JSON']],
}
