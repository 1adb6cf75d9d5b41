/** What each scope allows, in the order in which scopes are listed. */
export const scopeDescriptions = {
  fetch: 'read the fields of any location',
  geocode: 'convert addresses to coordinates, which may be billed per lookup',
  lookup: 'look up jurisdictions, hazards and market data of locations',
  parcel: 'read parcels, which are billed individually',
  ask: 'ask questions, which may be sent to a language model',
  runs: 'submit runs and read your own',
  admin: 'administer this server and create tokens in your name',
} as const

export type ScopeName = keyof typeof scopeDescriptions

export const scopeNames = Object.keys(scopeDescriptions) as ScopeName[]
