import { sharedOptions } from '../shared-options.ts'
import type { CommandPage } from '../command-page.ts'
import { sourceSettingNames } from '../settings.ts'

/** `fieldstone fetch`. */
export const fetchPage: CommandPage = {
  summary: 'named fields at one place, without a server',
  usage: [
    'fetch --at <lat,lng> [--fields <a,b,…>] [--preset <name>]',
    'fetch --address <address> [--fields <a,b,…>] [--preset <name>]',
  ],
  description: [
    'Prints the answer of POST /v1/fetch, made in this process on its own data folder. The packs and the cache of that folder are used; one that a server holds is in use.',
  ],
  options: {
    at: sharedOptions.at,
    address: sharedOptions.address,
    fields: sharedOptions.fields,
    preset: sharedOptions.preset,
    data: sharedOptions.data,
  },
  environment: sourceSettingNames,
  exitCodes: { 1: 'the question was refused; the answer says why. A field that failed is no refusal' },
  examples: [
    ['fieldstone fetch --at 39.7392,-104.9903 --preset place_context', 'what is known of a place without a network'],
    ['fieldstone fetch --at 39.7392,-104.9903 --fields county,timezone', 'two fields'],
  ],
}

/** `fieldstone geocode`. */
export const geocodePage: CommandPage = {
  summary: 'the place of an address',
  usage: ['geocode <address>'],
  description: ['Prints the answer of POST /v1/geocode for one US street address, made in this process.'],
  maxArguments: Infinity,
  options: { data: sharedOptions.data },
  environment: sourceSettingNames,
  exitCodes: { 1: 'the address was refused or not found' },
  examples: [['fieldstone geocode "1437 Bannock St, Denver, CO 80202"', 'where it is']],
}

/** `fieldstone lookup`. */
export const lookupPage: CommandPage = {
  summary: 'the join keys and the context of a place',
  usage: ['lookup <address or lat,lng>'],
  description: ['Prints the answer of POST /v1/lookup for one place, made in this process.'],
  maxArguments: Infinity,
  options: {
    'include-parcel': { description: 'also the parcel, which is billed (REGRID_API_TOKEN)' },
    data: sharedOptions.data,
  },
  environment: sourceSettingNames,
  exitCodes: { 1: 'the place was refused or not found, or there are several' },
  examples: [['fieldstone lookup "39.7392,-104.9903"', 'jurisdictions, hazards and market of a place']],
}

/** `fieldstone ask`. */
export const askPage: CommandPage = {
  summary: 'a question in words about a place',
  usage: ['ask <question> --at <lat,lng>', 'ask <question> --address <address>'],
  description: [
    'Answers a question in words from fetched fields, in this process: the text as it is written, then its sources.',
  ],
  maxArguments: Infinity,
  options: {
    at: sharedOptions.at,
    address: sharedOptions.address,
    json: { description: 'the answer of POST /v1/ask instead' },
    trace: { description: 'also how the answer came about' },
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
  exitCodes: { 1: 'the question was refused' },
  examples: [['fieldstone ask "Which county is this?" --at 39.7392,-104.9903', 'an answer with its sources']],
}
