import { describe, expect, test } from 'bun:test'
import { HostAnswers } from '../../../src/build-packs/harvest/host-answers.ts'
import { createPoliteClient } from '../../../src/build-packs/harvest/polite-client.ts'
import { UpstreamError, type UpstreamCode } from '../../../src/model/error.ts'

const budget = { signal: new AbortController().signal }
const reply = { status: 200, headers: new Headers(), bytes: new Uint8Array() }

/** Sends 20 requests of a plan to hosts of which some fail with an error. */
async function plan(failing: Record<string, UpstreamCode>, hosts: string[]) {
  const sent: string[] = []
  const waits_ms: number[] = []
  const answers = new HostAnswers('size')
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

  test('has no error if it asked no host', () => expect(new HostAnswers('size').errorOfAll()).toBeNull())
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

describe('A copy', () => {
  /** Sends requests to a host that cannot be reached, one after the other. */
  async function copyFrom(failing: string, urls: string[]) {
    const sent: string[] = []
    const waits: string[] = []
    const waits_ms: number[] = []
    const send = ({ url }: { url: string }) => {
      sent.push(url)
      const isFailing = new URL(url).host === failing
      return isFailing ? Promise.reject(new UpstreamError('connection_failed', 'No.')) : Promise.resolve(reply)
    }
    const net = createPoliteClient(
      { send, health: () => null },
      {
        wait: (ms) => Promise.resolve(void waits_ms.push(ms)),
        onReply() {},
        onWait: ({ message }, wait_ms) => void waits.push(`${message} ${wait_ms}`),
        answers: new HostAnswers('copy'),
      },
    )
    const errors: string[] = []
    for (const url of urls) await net.send({ url }, budget).catch((error: Error) => void errors.push(error.message))
    return { sent, waits, errors, waited_ms: waits_ms.reduce((sum, ms) => sum + ms, 0) }
  }

  test('waits for a host that cannot be reached, says so, and then asks it no more', async () => {
    const urls = ['https://a.example/1', 'https://a.example/2', 'https://b.example/1', 'https://a.example/3']
    const { sent, waits, errors, waited_ms } = await copyFrom('a.example', urls)
    expect(sent).toEqual([...Array.from({ length: 6 }, () => urls[0]!), urls[2]!])
    expect(waits).toEqual(['No. 5000', 'No. 20000', 'No. 60000', 'No. 120000'])
    expect(waited_ms).toBeLessThan(207_000)
    expect(errors).toEqual(Array.from({ length: 3 }, () => 'No. This command does not ask a.example again.'))
  })

  test('asks a host again that was too slow for one request', async () => {
    const answers = new HostAnswers('copy')
    const slow = () => Promise.reject(new UpstreamError('timeout', 'Too slow.'))
    expect(await answers.run('a.example', slow).catch((error: Error) => error.message)).toBe('Too slow.')
    expect(await answers.run('a.example', () => Promise.resolve('an answer'))).toBe('an answer')
  })
})
