import { sharedOptions } from '../shared-options.ts'
import type { CommandPage } from '../command-page.ts'

/** `fieldstone doctor`. */
export const doctorPage: CommandPage = {
  summary: 'look for what is wrong: the data folder, the database, packs, sources',
  usage: ['doctor [--clock] [--json]', 'doctor --recover', 'doctor --live [<dataset> …] [--json]'],
  description: [
    'Looks at the data folder (writable, room, modes, ballast), the whole database, backups, added layers and packs, and says of each fault what to do. It changes nothing, and works while the server runs.',
    'With --recover it writes what can be read of a damaged database into a new file beside it, which it names; the damaged one stays as it is. No service may have the folder meanwhile. It says what was lost, and ends with 1 when something was.',
    'With --live it asks every dataset that has a source on another server (or those that are named) for its fields at known places, without the cache, and prints a table: dataset, host, status, latency, fields answered, place, and what went wrong.',
  ],
  maxArguments: Infinity,
  options: {
    clock: { description: 'also compare the clock with that of a source; takes the network' },
    recover: { description: 'write what can be read of the database into a new file' },
    live: { description: 'ask the sources' },
    json: sharedOptions.json,
    data: sharedOptions.data,
  },
  environment: [
    'FIELDSTONE_OFFLINE',
    'FIELDSTONE_MIRROR',
    'FIELDSTONE_OVERPASS',
    'CENSUS_API_KEY',
    'NLR_API_KEY',
    'AIRNOW_API_KEY',
    'REGRID_API_TOKEN',
  ],
  exitCodes: {
    1: 'something is faulty or was lost; with --live, a source failed or had no value anywhere',
    78: 'the server would not start with this data folder',
  },
  examples: [
    ['fieldstone doctor', 'this machine'],
    ['fieldstone doctor --live', 'every source'],
    ['fieldstone doctor --live usgs_wbd_huc12 --json', 'one, for a program'],
  ],
}

/** `fieldstone healthcheck`. */
export const healthcheckPage: CommandPage = {
  summary: 'whether the server of this machine answers, for a supervisor',
  usage: ['healthcheck [--port <number>]'],
  description: [
    "Asks /healthz of the server on this machine, at the host and port it is configured for, and ends with 0 when it is well. It needs no shell and no token, and gives up after 3 seconds: meant for a container's HEALTHCHECK.",
  ],
  options: {
    host: {
      valueName: 'name',
      description: 'where the server listens (FIELDSTONE_HOST); 0.0.0.0 and :: are asked on the loopback address',
      defaultText: '127.0.0.1',
    },
    port: { valueName: 'number', description: 'its port (FIELDSTONE_PORT)', defaultText: '8080' },
  },
  environment: ['FIELDSTONE_HOST', 'FIELDSTONE_PORT'],
  exitCodes: { 1: 'nothing answers there, or it is not well' },
  examples: [['fieldstone healthcheck', 'the server on 127.0.0.1:8080']],
}
