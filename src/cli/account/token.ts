import { createAccountManager } from '../../auth/accounts.ts'
import { secureRandomBytes } from '../../auth/token.ts'
import type { Config } from '../../config.ts'
import { exitCodes } from '../exit-codes.ts'
import { UsageError } from '../usage-error.ts'
import { withWritableState } from '../server/writable-state.ts'

/** The same limit as in POST /v1/users/me/tokens. */
const nameMax_characters = 100

/** `fieldstone token new`: creates an owner token and prints it. Works while the server runs. */
export async function tokenCommand(
  [action]: string[],
  name: string,
  config: Config,
  { print }: { print(line: string): void },
): Promise<number> {
  if (action !== 'new')
    throw new UsageError('Missing or unknown action. Usage: `fieldstone token new [--name <words>]`.')
  if (name.trim() === '' || name.length > nameMax_characters)
    throw new UsageError(`--name must have 1 to ${nameMax_characters} characters.`)
  print(
    await withWritableState(config, (store) =>
      createAccountManager(store, {
        auth: config.auth,
        now: () => new Date(),
        randomBytes: secureRandomBytes,
      }).issueOwnerToken(name),
    ),
  )
  return exitCodes.ok
}
