import { createAccountManager, type Scope } from '../auth/accounts.ts'
import { createUserManager, userNamePattern, defaultUserScopes } from '../auth/users.ts'
import { secureRandomBytes } from '../auth/token.ts'
import type { Config } from '../config.ts'
import { openAccountStore } from '../store/accounts.ts'
import { openSessionStore } from '../store/sessions.ts'
import { openTurns } from '../store/turns.ts'
import { exits } from './exits.ts'
import { UsageError } from './usage-error.ts'
import { withWrittenState } from './written-state.ts'

/** `fieldstone user add <name>` and `fieldstone user link [<name>]`: prints a link, good once and for a week, at which a password is set. Works while the server runs. */
export async function user([action, name = action === 'link' ? 'owner' : '']: string[], scopes: Scope[] | null, config: Config, { print, complain }: { print(line: string): void; complain(line: string): void }): Promise<number> {
  if ((action !== 'add' && action !== 'link') || !userNamePattern.test(name)) throw new UsageError('`fieldstone user add <name> [--scopes <a,b>]` invites a person, `fieldstone user link [<name>]` makes a link for a new password. A name is of letters, digits and . _ @ + -')
  if (action === 'link' && scopes !== null) throw new UsageError('`fieldstone user link` changes nobody\'s scopes: --scopes is for `fieldstone user add <name>`.')
  const code = await withWrittenState(config.data, (db) => {
    const store = openAccountStore(db)
    const now = () => new Date()
    const accounts = createAccountManager(store, { auth: config.auth, now, randomBytes: secureRandomBytes })
    const people = createUserManager({ store, sessions: openSessionStore(db), accounts, now, randomBytes: secureRandomBytes })
    return openTurns(db)(() => (action === 'add' ? people.invite(name, scopes ?? defaultUserScopes) : people.createResetCode(name)))
  })
  if (code === null) {
    complain(action === 'add' ? `There is an account ${name} already: \`fieldstone user link ${name}\` makes a link for a new password.` : `There is no account ${name}: \`fieldstone user add ${name}\` invites a person.`)
    return exits.refused
  }
  print(`${config.base_url.replace(/\/$/, '')}/invitation/${code}`)
  return exits.done
}
