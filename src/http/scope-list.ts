import type { Scope } from '../auth/accounts.ts'
import { scopeDescriptions } from '../web/account/scope-descriptions.ts'
import { html, type Html } from './page.ts'

/** What the scopes allow, in the words of the dashboard. */
export function scopeList(scopes: readonly Scope[]): Html {
  return html`<ul>
    ${scopes.map((scope) => html`<li>${descriptions[scope]}</li>`)}
  </ul>`
}

/** There are words for every scope. */
const descriptions: Record<Scope, string> = scopeDescriptions
