import type { Scope } from '../auth/accounts.ts'
import { html, type Html } from './page.ts'

/** What a scope allows, for the person who is asked. */
const words: Record<Scope, string> = {
  fetch: 'read fields of any place',
  geocode: 'turn addresses into places, which may cost a lookup each',
  lookup: 'look up places with their context',
  parcel: 'read parcels, which are billed one by one',
  ask: 'ask questions, which may be put to a language model',
  runs: 'submit runs and read yours',
  admin: 'administer this server and make tokens in your name',
}

export function scopeList(scopes: readonly Scope[]): Html {
  return html`<ul>${scopes.map((scope) => html`<li>${words[scope]}</li>`)}</ul>`
}
