import { openAccounts, isScope, scopes, type Scope } from '../auth/accounts.ts'
import { openPeople, personName, usualScopes } from '../auth/people.ts'
import { cryptoBytes } from '../auth/token.ts'
import type { Config } from '../config.ts'
import { openAccountStore } from '../store/accounts.ts'
import { openState } from '../store/database.ts'
import { openSessionStore } from '../store/sessions.ts'
import { openTurns } from '../store/turns.ts'
import { exits } from './exits.ts'
import { UsageError } from './usage-error.ts'

/** It has the time to wait while a service writes. */
const patience_ms = 5000

/** `fieldstone user add <name>` and `fieldstone user link [<name>]`: prints a link, good once and for a week, at which a password is set. Works while the server runs. */
export async function user([action, name = action === 'link' ? 'owner' : '', ...more]: string[], wanted: string | null, config: Config, { print, complain }: { print(line: string): void; complain(line: string): void }): Promise<number> {
  if ((action !== 'add' && action !== 'link') || more.length > 0 || !personName.test(name)) throw new UsageError('`fieldstone user add <name> [--scopes <a,b>]` invites a person, `fieldstone user link [<name>]` makes a link for a new password. A name is of letters, digits and . _ @ + -')
  const allowed = scopesIn(wanted)
  const db = openState(config.data, patience_ms)
  try {
    const store = openAccountStore(db)
    const now = () => new Date()
    const accounts = openAccounts(store, { auth: config.auth, now, randomBytes: cryptoBytes })
    const people = openPeople({ store, sessions: openSessionStore(db), accounts, now, randomBytes: cryptoBytes })
    const code = await openTurns(db)(() => (action === 'add' ? people.invite(name, allowed) : people.link(name)))
    if (code !== null) return said(`${config.base_url.replace(/\/$/, '')}/invitation/${code}`)
    complain(action === 'add' ? `There is an account ${name} already: \`fieldstone user link ${name}\` makes a link for a new password.` : `There is no account ${name}: \`fieldstone user add ${name}\` invites a person.`)
    return exits.refused
  } finally {
    db.close()
  }

  function said(line: string): number {
    print(line)
    return 0
  }
}

function scopesIn(text: string | null): Scope[] {
  if (text === null) return usualScopes
  const names = text.split(',').map((name) => name.trim())
  if (!names.every(isScope)) throw new UsageError(`--scopes takes some of ${scopes.join(',')}, with commas between.`)
  return names
}
