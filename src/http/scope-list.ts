import type { Scope } from '../auth/scope.ts'
import { scopeDescriptions } from '../web/account/scope-descriptions.ts'
import { html, type Html } from './page.ts'

/** Returns the scopes as a list, in the words of the dashboard. */
export function scopeList(scopes: readonly Scope[]): Html {
  return html`<ul>
    ${scopes.map((scope) => html`<li>${descriptions[scope]}</li>`)}
  </ul>`
}

/** The type requires a text for every scope. */
const descriptions: Record<Scope, string> = scopeDescriptions
