/** What each scope allows, for the person who is asked, in the order in which they are told. */
export const scopeDescriptions = {
  fetch: 'read fields of any place',
  geocode: 'turn addresses into places, which may cost a lookup each',
  lookup: 'look up places with their context',
  parcel: 'read parcels, which are billed one by one',
  ask: 'ask questions, which may be put to a language model',
  runs: 'submit runs and read yours',
  admin: 'administer this server and make tokens in your name',
} as const

export type ScopeName = keyof typeof scopeDescriptions

export const scopeNames = Object.keys(scopeDescriptions) as ScopeName[]
