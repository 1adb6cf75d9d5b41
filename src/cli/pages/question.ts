import { options } from '../options.ts'
import type { Page } from '../page.ts'
import { sourceSettings } from '../settings.ts'

/** `fieldstone fetch`. */
export const fetch: Page = {
  purpose: 'named fields at one place, without a server',
  usage: ['fetch --at <lat,lng> [--fields <a,b,…>] [--preset <name>]', 'fetch --address <address> [--fields <a,b,…>] [--preset <name>]'],
  says: ['Prints the answer of POST /v1/fetch, made in this process on its own data folder. The packs and the cache of that folder are used; one that a server holds is in use.'],
  options: { at: options.at, address: options.address, fields: options.fields, preset: options.preset, data: options.data },
  environment: sourceSettings,
  exits: { 1: 'the question was refused; the answer says why. A field that failed is no refusal' },
  examples: [
    ['fieldstone fetch --at 39.7392,-104.9903 --preset place_context', 'what is known of a place without a network'],
    ['fieldstone fetch --at 39.7392,-104.9903 --fields county,timezone', 'two fields'],
  ],
}

/** `fieldstone geocode`. */
export const geocode: Page = {
  purpose: 'the place of an address',
  usage: ['geocode <address>'],
  says: ['Prints the answer of POST /v1/geocode for one US street address, made in this process.'],
  words: Infinity,
  options: { data: options.data },
  environment: sourceSettings,
  exits: { 1: 'the address was refused or not found' },
  examples: [['fieldstone geocode "1437 Bannock St, Denver, CO 80202"', 'where it is']],
}

/** `fieldstone lookup`. */
export const lookup: Page = {
  purpose: 'the join keys and the context of a place',
  usage: ['lookup <address or lat,lng>'],
  says: ['Prints the answer of POST /v1/lookup for one place, made in this process.'],
  words: Infinity,
  options: { 'include-parcel': { says: 'also the parcel, which is billed (REGRID_API_TOKEN)' }, data: options.data },
  environment: sourceSettings,
  exits: { 1: 'the place was refused or not found, or there are several' },
  examples: [['fieldstone lookup "39.7392,-104.9903"', 'jurisdictions, hazards and market of a place']],
}

/** `fieldstone ask`. */
export const ask: Page = {
  purpose: 'a question in words about a place',
  usage: ['ask <question> --at <lat,lng>', 'ask <question> --address <address>'],
  says: ['Answers a question in words from fetched fields, in this process: the text as it is written, then its sources.'],
  words: Infinity,
  options: { at: options.at, address: options.address, json: { says: 'the answer of POST /v1/ask instead' }, trace: { says: 'also how the answer came about' }, data: options.data },
  environment: ['ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL', 'FIELDSTONE_PLANNER_MODEL', 'FIELDSTONE_SYNTHESIZER_MODEL', 'FIELDSTONE_ASK_BUILTIN', ...sourceSettings],
  exits: { 1: 'the question was refused' },
  examples: [['fieldstone ask "Which county is this?" --at 39.7392,-104.9903', 'an answer with its sources']],
}
