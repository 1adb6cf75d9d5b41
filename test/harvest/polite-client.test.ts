import { describe, expect, test } from 'bun:test'
import { HostAnswers } from '../../src/harvest/host-answers.ts'
import { createPoliteClient } from '../../src/harvest/polite-client.ts'
import { UpstreamError, type UpstreamCode } from '../../src/model/error.ts'

const budget = { signal: new AbortController().signal }
const reply = { status: 200, headers: new Headers(), bytes: new Uint8Array() }

/** Sends 20 requests of a plan to hosts of which some fail with an error. */
async function plan(failing: Record<string, UpstreamCode>, hosts: string[]) {
  const sent: string[] = []
  const waits_ms: number[] = []
  const answers = new HostAnswers()
  const send = ({ url }: { url: string }) => {
    const { host } = new URL(url)
    sent.push(host)
    const code = failing[host]
    return code ? Promise.reject(new UpstreamError(code, `${host} failed.`)) : Promise.resolve(reply)
  }
  const wait = (ms: number) => {
    waits_ms.push(ms)
    return Promise.resolve()
  }
  const net = createPoliteClient({ send, health: () => null }, { wait, onReply() {}, answers })
  const calls = Array.from({ length: 20 }, (_, i) => ({ url: `https://${hosts[i % hosts.length]}/${i}` }))
  const results = await Promise.allSettled(calls.map((call) => net.send(call, budget)))
  const messages = new Set(results.flatMap((it) => (it.status === 'rejected' ? [(it.reason as Error).message] : [])))
  const sentTo = (host: string) => sent.filter((it) => it === host).length
  return { sentTo, messages: [...messages], waits_ms, answers }
}

describe('A plan', () => {
  test('sends two requests to a host that cannot be reached, repeats each once, and then sends no more', async () => {
    const { sentTo, messages, waits_ms, answers } = await plan({ 'a.example': 'connection_failed' }, [
      'a.example',
      'b.example',
    ])
    expect([sentTo('a.example'), sentTo('b.example')]).toEqual([4, 10])
    expect(messages).toEqual(['a.example did not answer, so the size is not known.'])
    expect(Math.max(...waits_ms)).toBe(1_000)
    expect(answers.errorOfAll()).toBeNull()
  })

  test('does not repeat a request that was too slow', async () => {
    const { sentTo, answers } = await plan({ 'a.example': 'timeout' }, ['a.example'])
    expect([sentTo('a.example'), answers.errorOfAll()?.message]).toEqual([2, 'a.example failed.'])
  })

  test('asks a host again that answered one request with a server error, for its other services', async () => {
    const { sentTo, messages, answers } = await plan({ 'a.example': 'upstream_5xx' }, ['a.example'])
    expect([sentTo('a.example'), messages]).toEqual([40, ['a.example failed.']])
    expect(answers.errorOfAll()?.code).toBe('upstream_5xx')
  })

  test('counts a rejected request as an answer', async () => {
    const { sentTo, answers } = await plan({ 'a.example': 'upstream_rejected' }, ['a.example'])
    expect([sentTo('a.example'), answers.errorOfAll()]).toEqual([20, null])
  })

  test('has no error if it asked no host', () => {
    expect(new HostAnswers().errorOfAll()).toBeNull()
  })
})

test('a copy sends the next request to a host only after a pause', async () => {
  const sent: string[] = []
  const pauses: { ms: number; end: () => void }[] = []
  const send = ({ url }: { url: string }) => {
    sent.push(url)
    return Promise.resolve(reply)
  }
  const wait = (ms: number) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    pauses.push({ ms, end: resolve })
    return promise
  }
  const net = createPoliteClient({ send, health: () => null }, { wait, onReply() {} })
  const [first, second, third] = ['1', '2', '3'].map((page) => net.send({ url: `https://a.example/${page}` }, budget))
  await Promise.all([first, second])
  await net.send({ url: 'https://b.example/1' }, budget)
  expect(sent).toEqual(['https://a.example/1', 'https://a.example/2', 'https://b.example/1'])
  expect(pauses.map(({ ms }) => ms)).toEqual([100, 100, 100])
  pauses[0]!.end()
  await third
  expect(sent.at(-1)).toBe('https://a.example/3')
})
