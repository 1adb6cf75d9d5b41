import { join } from 'node:path'
import { connectOverStdio } from '../mcp/clients.ts'
import { programCommand } from '../mcp/program-command.ts'

/** A stdio client that connects through `fieldstone mcp` to the server address from the suite. */
const [url = ''] = process.argv.slice(2)
const { TEST_FOLDER: folder = '', TEST_TOKEN: token = '' } = process.env
const [command = '', ...before] = programCommand

const client = await connectOverStdio('old', {
  command,
  args: [...before, 'mcp', '--server', url.replace(/\/mcp$/, '')],
  cwd: folder,
  env: {
    FIELDSTONE_TOKEN: token,
    FIELDSTONE_DATA: join(folder, 'data'),
    HOME: folder,
    XDG_CONFIG_HOME: join(folder, 'config'),
  },
})
const tools = await client.tools()
if (tools.some(({ name }) => name === 'add_numbers')) await client.call('add_numbers', { a: 5, b: 3 })
await client.close()
