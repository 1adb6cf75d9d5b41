import { afterAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { startFieldstone } from '../cli/fieldstone.ts'
import { openRenamingProxy } from './renaming-proxy.ts'
import { serverScenarios } from './suite.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()
const service = startFieldstone(['serve', '--data', join(folder, 'data')], { FIELDSTONE_AUTH: 'off' }, folder)
const [, address] = await service.waitForOutput(/answers at (http:\S+)/)
const url = `${address}/mcp`
const proxy = openRenamingProxy(url)
afterAll(async () => {
  await proxy.close()
  service.signal('SIGTERM')
  await service.end()
})

/** The server without the proxy. */
const asItIs = {
  'server-initialize': 1,
  ping: 1,
  'tools-list': 1,
  'resources-list': 1,
  'prompts-list': 1,
  'dns-rebinding-protection': 2,
}
/** The server with our tools and resources under the names of the suite. */
const underItsNames = {
  'server-initialize': 1,
  ping: 1,
  'tools-list': 1,
  'resources-list': 1,
  'prompts-list': 1,
  'tools-call-simple-text': 1,
  'tools-call-error': 1,
  'tools-call-with-progress': 1,
  'resources-read-text': 1,
}

const notOffered: Record<string, string> = {
  'logging-set-level': 'the capability logging is not announced: the answer itself reports errors',
  'tools-call-with-logging': 'the same',
  'completion-complete': 'the capability completions is not announced',
  'tools-call-image': 'no tool gives an image',
  'tools-call-audio': 'no tool gives sound',
  'tools-call-embedded-resource': 'no tool gives an embedded resource',
  'tools-call-mixed-content': 'no tool gives several kinds of content',
  'tools-call-sampling': 'no tool asks the model of the client',
  'tools-call-elicitation': 'no tool asks the person',
  'elicitation-sep1034-defaults': 'the same',
  'elicitation-sep1330-enums': 'the same',
  'json-schema-2020-12': 'it looks for one tool of its own with $defs; our schemas have none',
  'resources-read-binary': 'no resource is binary',
  'resources-templates-read':
    'it reads the template with the id 123, and no field or preset has that name; test/mcp/mcp-server.test.ts reads ours',
  'resources-subscribe': 'resources.subscribe is not announced',
  'resources-unsubscribe': 'the same',
  'prompts-get-simple': 'it gets a prompt of its own by name, and no preset or tool has that name',
  'prompts-get-with-args': 'the same',
  'prompts-get-embedded-resource': 'the same',
  'prompts-get-with-image': 'the same',
  'server-sse-polling':
    'nothing is kept between requests, so that there is nothing to come back to; the suite warns and fails nothing',
  'server-sse-multiple-streams': 'the same: there is no session',
}

describe('the MCP conformance suite, versions 2025-06-18 and 2025-11-25', () => {
  test.each([
    ['as it is', url, asItIs],
    ['under the names of the suite', proxy.url, underItsNames],
  ] as const)('passes %s in all that applies, and what does not apply is known', async (name, at, applies) => {
    const outcomes = await serverScenarios(at, join(folder, name))
    expect(
      [...outcomes.keys()].filter((it) => !(it in notOffered) && !(it in asItIs) && !(it in underItsNames)),
    ).toEqual([])
    expect(Object.fromEntries(Object.keys(applies).map((it) => [it, outcomes.get(it)]))).toEqual(
      Object.fromEntries(Object.entries(applies).map(([it, passed]) => [it, { passed, failed: 0 }])),
    )
  })

  test('passes no check of a scenario that is listed as not applicable', async () => {
    const outcomes = await serverScenarios(url, join(folder, 'listed'))
    expect(Object.keys(notOffered).filter((it) => (outcomes.get(it)?.passed ?? -1) !== 0)).toEqual([])
  })

  test('finds every capability that the server announces', async () => {
    const initialize = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    }
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify(initialize),
    })
    const [, data = ''] = /data: (.*)/.exec(await response.text()) ?? []
    const { result } = JSON.parse(data) as { result: { capabilities: Record<string, { subscribe?: boolean }> } }
    expect(Object.keys(result.capabilities).toSorted()).toEqual(['prompts', 'resources', 'tools'])
    expect(result.capabilities.resources!.subscribe ?? false).toBe(false)
  })
})
