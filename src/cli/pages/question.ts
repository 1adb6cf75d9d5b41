import { sharedOptions } from '../shared-options.ts'
import type { CommandPage } from '../command-page.ts'
import { unitSystems } from '../../ask/answer/display-units.ts'
import { sourceSettingNames } from '../settings.ts'

const answerFlags = {
  json: { description: 'Print JSON also on a terminal. In a pipe, the output is always JSON.' },
  server: { ...sharedOptions.server, description: 'Ask the server at this URL instead of answering in this process.' },
  token: sharedOptions.token,
  data: sharedOptions.data,
}
const answerEnvironment = ['FIELDSTONE_TOKEN', ...sourceSettingNames]

/** `fieldstone fetch`. */
export const fetchPage: CommandPage = {
  summary: 'Fetch fields at one location',
  usage: [
    'fetch --at <lat,lng> [--fields <a,b,…>] [--preset <name>]',
    'fetch --address <address> [--fields <a,b,…>] [--preset <name>]',
  ],
  description: [
    'Prints the values as a table, or in a pipe the response of POST /v1/fetch as JSON. It needs no server: it answers in this process, with the packs and the cache of the data folder. The command fails if a server is using that folder.',
  ],
  options: {
    at: sharedOptions.at,
    address: sharedOptions.address,
    fields: sharedOptions.fields,
    preset: sharedOptions.preset,
    ...answerFlags,
  },
  environment: answerEnvironment,
  exitCodes: {
    1: 'The request was rejected; standard error gives the reason. If individual fields fail, the exit code is still 0.',
  },
  examples: [
    ['fieldstone fetch --at 39.7392,-104.9903 --preset place_context', 'Fetch the fields that need no network'],
    ['fieldstone fetch --at 39.7392,-104.9903 --fields county,timezone', 'Fetch two fields'],
  ],
}

/** `fieldstone area`. */
export const areaPage: CommandPage = {
  summary: 'Fetch fields for a polygon or a line',
  usage: [
    'area <file> [--fields <a,b,…>] [--preset <name>]',
    'area <file> --width <length>',
    'area --at <lat,lng> --radius <length>',
    'area --county <fips>',
    'area --parcel --at <lat,lng>',
  ],
  description: [
    'Prints the shares and numbers of each field as a table, or in a pipe the response of POST /v1/areas as JSON. The area is the polygon or the line of a file, a buffer of that line, a circle, a county, or the parcel of a location. The file is GeoJSON, KML, KMZ, well-known text (WKT) or a shapefile in a ZIP archive, with one shape. It needs no server.',
  ],
  maxArguments: 1,
  options: {
    width: { valueName: 'length', description: 'Full width of a buffer around the line of the file, such as 60m.' },
    at: sharedOptions.at,
    address: sharedOptions.address,
    radius: { valueName: 'length', description: 'Radius of a circle around --at, such as 500m, 5km or 3mi.' },
    county: { valueName: 'fips', description: 'FIPS code of a county, such as 08013.' },
    parcel: { description: 'The parcel at --at or --address, which is billed (REGRID_API_TOKEN).' },
    fields: sharedOptions.fields,
    preset: sharedOptions.preset,
    ...answerFlags,
  },
  environment: answerEnvironment,
  exitCodes: {
    1: 'The request was rejected; standard error gives the reason. If individual fields fail, the exit code is still 0.',
  },
  examples: [
    ['fieldstone area parcel.geojson --fields county,within_floodplain_polygon', 'Print the shares of a parcel'],
    ['fieldstone area --at 39.7392,-104.9903 --radius 500m --fields county', 'Print the shares of a circle'],
    ['fieldstone area --county 08013 --fields county,timezone', 'Print the shares of a county'],
  ],
}

/** `fieldstone geocode`. */
export const geocodePage: CommandPage = {
  summary: 'Geocode an address',
  usage: ['geocode <address>'],
  description: [
    'Prints the coordinate of a US street address as a table, or in a pipe the response of POST /v1/geocode as JSON. It needs no server.',
  ],
  maxArguments: Infinity,
  options: answerFlags,
  environment: answerEnvironment,
  exitCodes: { 1: 'The address was rejected or not found.' },
  examples: [['fieldstone geocode "1437 Bannock St, Denver, CO 80202"', 'Print the coordinate of an address']],
}

/** `fieldstone lookup`. */
export const lookupPage: CommandPage = {
  summary: 'Look up the jurisdictions, hazards and market data of a location',
  usage: ['lookup <address or lat,lng>'],
  description: [
    'Prints the results as a table, or in a pipe the response of POST /v1/lookup as JSON. It needs no server.',
  ],
  maxArguments: Infinity,
  options: {
    'include-parcel': { description: 'Include the parcel, which is billed (REGRID_API_TOKEN).' },
    ...answerFlags,
  },
  environment: answerEnvironment,
  exitCodes: { 1: 'The location was rejected, not found or ambiguous.' },
  examples: [['fieldstone lookup "39.7392,-104.9903"', 'Print jurisdictions, hazards and market data']],
}

/** `fieldstone ask`. */
export const askPage: CommandPage = {
  summary: 'Answer a question about a location',
  usage: ['ask <question> [--at <lat,lng>]', 'ask <question> --address <address>'],
  description: [
    'Answers a question in plain language from fetched fields. It prints the answer while it is being written, then the sources. Without --at and --address, a coordinate in the question is the location. It needs no server.',
  ],
  maxArguments: Infinity,
  options: {
    at: sharedOptions.at,
    address: sharedOptions.address,
    units: {
      valueName: 'us|metric',
      description: 'Units that come first in the text of the answer.',
      defaultText: 'us',
      completion: unitSystems,
    },
    json: { description: 'Print the response of POST /v1/ask.' },
    trace: { description: 'Also print how the answer was produced.' },
    server: answerFlags.server,
    token: answerFlags.token,
    data: sharedOptions.data,
  },
  environment: [
    'FIELDSTONE_TOKEN',
    'ANTHROPIC_API_KEY',
    'ANTHROPIC_BASE_URL',
    'FIELDSTONE_PLANNER_MODEL',
    'FIELDSTONE_SYNTHESIZER_MODEL',
    'FIELDSTONE_ASK_BUILTIN',
    ...sourceSettingNames,
  ],
  exitCodes: { 1: 'The question was rejected.' },
  examples: [['fieldstone ask "Which county is this?" --at 39.7392,-104.9903', 'Print an answer with its sources']],
}

/** `fieldstone fields`. */
export const fieldsPage: CommandPage = {
  summary: 'List or search the fields',
  usage: ['fields [<words>]'],
  description: [
    'Lists the fields that match the words, best match first, or all fields. Prints a table, or JSON in a pipe. Layers of your own in data/catalog.d are listed only by a running server, at /v1/meta/fields.',
  ],
  maxArguments: Infinity,
  options: { json: answerFlags.json },
  exitCodes: { 1: 'No field matches.' },
  examples: [
    ['fieldstone fields flood zone', 'Find the fields about flood zones'],
    ['fieldstone fields --json', 'Print all fields as JSON'],
  ],
}

/** `fieldstone presets`. */
export const presetsPage: CommandPage = {
  summary: 'List the presets',
  usage: ['presets'],
  description: ['Lists the presets and the purpose of each. With --json, or in a pipe, it prints the fields of each.'],
  options: { json: answerFlags.json },
  examples: [['fieldstone presets', 'List the presets']],
}
