import { sharedOptions } from '../shared-options.ts'
import type { CommandPage } from '../command-page.ts'
import { sourceSettingNames } from '../settings.ts'

/** `fieldstone fetch`. */
export const fetchPage: CommandPage = {
  summary: 'Fetch fields at one location',
  usage: [
    'fetch --at <lat,lng> [--fields <a,b,…>] [--preset <name>]',
    'fetch --address <address> [--fields <a,b,…>] [--preset <name>]',
  ],
  description: [
    'Prints the response of POST /v1/fetch. It needs no server: it answers in this process, with the packs and the cache of the data folder. The command fails if a server is using that folder.',
  ],
  options: {
    at: sharedOptions.at,
    address: sharedOptions.address,
    fields: sharedOptions.fields,
    preset: sharedOptions.preset,
    data: sharedOptions.data,
  },
  environment: sourceSettingNames,
  exitCodes: {
    1: 'The request was rejected; the response gives the reason. If individual fields fail, the exit code is still 0.',
  },
  examples: [
    ['fieldstone fetch --at 39.7392,-104.9903 --preset place_context', 'Fetch the fields that need no network'],
    ['fieldstone fetch --at 39.7392,-104.9903 --fields county,timezone', 'Fetch two fields'],
  ],
}

/** `fieldstone geocode`. */
export const geocodePage: CommandPage = {
  summary: 'Geocode an address',
  usage: ['geocode <address>'],
  description: ['Prints the response of POST /v1/geocode for one US street address. It needs no server.'],
  maxArguments: Infinity,
  options: { data: sharedOptions.data },
  environment: sourceSettingNames,
  exitCodes: { 1: 'The address was rejected or not found.' },
  examples: [['fieldstone geocode "1437 Bannock St, Denver, CO 80202"', 'Print the coordinate of an address']],
}

/** `fieldstone lookup`. */
export const lookupPage: CommandPage = {
  summary: 'Look up the jurisdictions, hazards and market data of a location',
  usage: ['lookup <address or lat,lng>'],
  description: ['Prints the response of POST /v1/lookup for one location. It needs no server.'],
  maxArguments: Infinity,
  options: {
    'include-parcel': { description: 'Include the parcel, which is billed (REGRID_API_TOKEN).' },
    data: sharedOptions.data,
  },
  environment: sourceSettingNames,
  exitCodes: { 1: 'The location was rejected, not found or ambiguous.' },
  examples: [['fieldstone lookup "39.7392,-104.9903"', 'Print jurisdictions, hazards and market data']],
}

/** `fieldstone ask`. */
export const askPage: CommandPage = {
  summary: 'Answer a question about a location',
  usage: ['ask <question> --at <lat,lng>', 'ask <question> --address <address>'],
  description: [
    'Answers a question in plain language from fetched fields. It prints the answer while it is being written, then the sources. It needs no server.',
  ],
  maxArguments: Infinity,
  options: {
    at: sharedOptions.at,
    address: sharedOptions.address,
    json: { description: 'Print the response of POST /v1/ask.' },
    trace: { description: 'Also print how the answer was produced.' },
    data: sharedOptions.data,
  },
  environment: [
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
