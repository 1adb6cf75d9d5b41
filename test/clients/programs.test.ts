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

/** A browser in which the owner is signed in. */
async function signedInBrowser() {
  const browser = openBrowser((address, init) => fetch(new URL(address, service.url), init), service.url)
  await browser.submit(await browser.get('/sign-in'), { name: 'owner', password: service.token })
  return browser
}

/** Approves the login with this code, as the owner in a browser. */
async function approve(user_code: string): Promise<void> {
  const browser = await signedInBrowser()
  await browser.submit(await browser.submit(await browser.get('/device'), { user_code }), { decision: 'yes' })
}

/** Opens the link of an agent, allows it, and follows the redirect to the agent. */
async function allow(link: string): Promise<void> {
  const browser = await signedInBrowser()
  const { location, text } = await browser.submit(await browser.get(link), { decision: 'yes' })
  if (location === null) throw new Error(text)
  await fetch(location)
}

/** Runs a program and does what it asks its person on standard error. Returns what it printed. */
async function outputOf(command: string[], prompted: RegExp, act: (text: string) => Promise<void>): Promise<unknown> {
  const program = Bun.spawn(command, { stdout: 'pipe', stderr: 'pipe' })
  const decoder = new TextDecoder()
  let shown = ''
  for await (const bytes of program.stderr) {
    shown += decoder.decode(bytes)
    const text = prompted.exec(shown)?.[1]
    if (text === undefined) continue
    shown = ''
    await act(text)
  }
  return JSON.parse((await new Response(program.stdout).text()) || JSON.stringify(shown))
}

const typescript = (file: string) => [process.execPath, '--no-env-file', join(import.meta.dir, file)]

test.each([
  ['TypeScript', typescript('client.ts')],
  ['Python', [python, join(import.meta.dir, 'client.py')]],
])(
  'a client in %s reads presets, a batch, a run, an answer, a place, an address, and what its login allows',
  async (_, command) => {
    expect(await outputOf([...command, service.url, service.token], /code (\S+)\n/, approve)).toEqual({
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

test.each([
  ['TypeScript', typescript('agent.ts')],
  ['Python', [python, join(import.meta.dir, 'agent.py')]],
])(
  'an agent in %s signs in to /mcp with the OAuth code flow, lists tools and prompts, and fetches a field',
  async (_, command) => {
    expect(await outputOf([...command, service.url], /open (\S+)\n/, allow)).toEqual({
      tools: mcpTools.map(({ name }) => name),
      prompts: ['ask', 'fetch', 'lookup', ...Object.keys(contents.presets)],
      text: expect.stringContaining('elevation'),
    })
  },
  120_000,
)
