import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { secureRandomBytes, makeToken } from '../../src/auth/token.ts'
import { clientScenario } from './suite.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()

// The other client scenarios test the code flow and elicitation. `fieldstone mcp` forwards the messages of its own
// client, and logs in by the device flow.
test.each([
  ['initialize', 1],
  ['tools_call', 1],
] as const)(
  '`fieldstone mcp` in between changes nothing: the scenario %s of the suite of the protocol passes',
  async (name, passed) => {
    const env = { TEST_FOLDER: folder, TEST_TOKEN: makeToken('pat', secureRandomBytes) }
    expect(
      await clientScenario(
        name,
        `${process.execPath} --no-env-file ${join(import.meta.dir, 'bridged.ts')}`,
        join(folder, name),
        env,
      ),
    ).toEqual({ passed, failed: 0 })
  },
)
