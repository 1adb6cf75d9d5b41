import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import * as contents from '../../catalog/contents.ts'
import { marketFields } from '../../src/lookup/place-context.ts'
import { mcpTools } from '../../src/mcp/mcp-server.ts'
import { openBrowser } from '../http/browser.ts'
import { python } from '../support/python.ts'
import { openClientService } from './client-service.ts'

const service = await openClientService('on')
afterAll(service.close)

/** Approves the login with this code, as the owner in a browser. */
async function approve(user_code: string): Promise<void> {
  const browser = openBrowser((address, init) => fetch(new URL(address, service.url), init), service.url)
  await browser.submit(await browser.get('/sign-in'), { name: 'owner', password: service.token })
  await browser.submit(await browser.submit(await browser.get('/device'), { user_code }), { decision: 'yes' })
}

test.each([
  ['TypeScript', [process.execPath, '--no-env-file', join(import.meta.dir, 'client.ts')]],
  ['Python', [python, join(import.meta.dir, 'client.py')]],
])(
  'a client in %s reads presets, a batch, a run, an answer, a place, an address, and what its login allows',
  async (_, command) => {
    const client = Bun.spawn([...command, service.url, service.token], { stdout: 'pipe', stderr: 'pipe' })
    const decoder = new TextDecoder()
    let shown = ''
    for await (const bytes of client.stderr) {
      shown += decoder.decode(bytes)
      const code = /code (\S+)\n/.exec(shown)?.[1]
      if (code !== undefined) await approve(code)
    }
    expect(JSON.parse((await new Response(client.stdout).text()) || JSON.stringify(shown))).toEqual({
      presets: Object.keys(contents.presets).length,
      batch: [true, false],
      run: ['done', ['elevation', 'slope_degrees']],
      fields_used: expect.arrayContaining(['elevation']),
      market: ['as_of', ...Object.keys(marketFields)],
      grades: ['rooftop', 'exact', 'address_too_coarse'],
      login: 'approved',
      tools: mcpTools.map(({ name }) => name),
    })
  },
  120_000,
)
