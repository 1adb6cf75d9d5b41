import { createAccountManager } from '../../auth/accounts.ts'
import type { Scope } from '../../auth/scope.ts'
import { createUserManager, userNamePattern, defaultUserScopes } from '../../auth/users.ts'
import { secureRandomBytes } from '../../auth/token.ts'
import type { Config } from '../../config.ts'
import { exitCodes } from '../exit-codes.ts'
import { UsageError } from '../usage-error.ts'
import { withWritableState } from '../server/writable-state.ts'

/**
 * `fieldstone user add <name>` and `fieldstone user link [<name>]`: prints a link that sets a password once, within 7
 * days. Works while the server runs.
 */
export async function userCommand(
  [action, name = action === 'link' ? 'owner' : '']: string[],
  scopes: Scope[] | null,
  config: Config,
  { print, printError }: { print(line: string): void; printError(line: string): void },
): Promise<number> {
  if ((action !== 'add' && action !== 'link') || !userNamePattern.test(name))
    throw new UsageError(
      'Usage: `fieldstone user add <name> [--scopes <a,b>]` or `fieldstone user link [<name>]`. A name consists of letters, digits and . _ @ + -',
    )
  if (action === 'link' && scopes !== null)
    throw new UsageError(
      '`fieldstone user link` does not take --scopes. Only `fieldstone user add <name>` sets scopes.',
    )
  const code = await withWritableState(config, (store) => {
    const now = () => new Date()
    const accounts = createAccountManager(store, { auth: config.auth, now, randomBytes: secureRandomBytes })
    const users = createUserManager({
      store: store.people,
      sharedLimits: null,
      accounts,
      now,
      randomBytes: secureRandomBytes,
    })
    return action === 'add' ? users.invite(name, scopes ?? defaultUserScopes) : users.createResetCode(name)
  })
  if (code === null) {
    printError(
      action === 'add'
        ? `The account ${name} already exists. To set a new password, run \`fieldstone user link ${name}\`.`
        : `The account ${name} does not exist. To create it, run \`fieldstone user add ${name}\`.`,
    )
    return exitCodes.failure
  }
  print(`${config.base_url.replace(/\/$/, '')}/invitation/${code}`)
  return exitCodes.ok
}
