import { afterAll, describe, expect, test } from 'bun:test'
import { createCopyHoursWait, nextStartOf, parseCopyHours } from '../../src/pack-plans/copy-hours.ts'
import { createPoliteClient } from '../../src/build-packs/harvest/polite-client.ts'

const zone = process.env.TZ
process.env.TZ = 'America/Denver'
afterAll(() => {
  if (zone === undefined) delete process.env.TZ
  else process.env.TZ = zone
})

describe('Hours of a copy', () => {
  test.each([
    ['22:00-06:00', { from: { hour: 22, minute: 0 }, to: { hour: 6, minute: 0 } }],
    ['9:30-17:05', { from: { hour: 9, minute: 30 }, to: { hour: 17, minute: 5 } }],
  ])('can be %s', (text, hours) => expect(parseCopyHours(text)).toEqual(hours))

  test.each(['', '22-6', '22:00', '24:00-06:00', '22:60-06:00', '22:00-22:00', '22:00–06:00', '-1:00-06:00'])(
    'cannot be %j',
    (text) => expect(parseCopyHours(text)).toBeNull(),
  )

  const night = '22:00-06:00'
  const day = '09:00-17:00'
  test.each([
    [night, '2026-11-23T21:59:59-07:00', '2026-11-23T22:00:00-07:00'],
    [night, '2026-11-23T22:00:00-07:00', null],
    [night, '2026-11-24T03:00:00-07:00', null],
    [night, '2026-11-24T05:59:59-07:00', null],
    [night, '2026-11-24T06:00:00-07:00', '2026-11-24T22:00:00-07:00'],
    [day, '2026-11-23T08:00:00-07:00', '2026-11-23T09:00:00-07:00'],
    [day, '2026-11-23T12:00:00-07:00', null],
    [day, '2026-11-23T17:00:00-07:00', '2026-11-24T09:00:00-07:00'],
    [day, '2026-12-31T23:00:00-07:00', '2027-01-01T09:00:00-07:00'],
    // The clock goes from 1:59 to 3:00 on March 8, and from 1:59 back to 1:00 on November 1.
    [day, '2026-03-07T17:30:00-07:00', '2026-03-08T09:00:00-06:00'],
    [day, '2026-10-31T17:30:00-06:00', '2026-11-01T09:00:00-07:00'],
  ])('%s begin, from %s, at %s', (text, now, start) => {
    expect(nextStartOf(parseCopyHours(text)!, new Date(now))).toEqual(start === null ? null : new Date(start))
  })
})

describe('A copy with hours', () => {
  /** A clock that advances only while something waits. */
  function clockAt(start: string) {
    let now_ms = Date.parse(start)
    const pauses: Date[] = []
    const wait = (ms: number) => Promise.resolve(void (now_ms += ms))
    const options = { now: () => new Date(now_ms), wait, onPause: (until: Date) => void pauses.push(until) }
    return { ...options, pauses, waitForCopyHours: createCopyHoursWait(parseCopyHours('22:00-06:00')!, options) }
  }
  const budget = { signal: new AbortController().signal }
  const reply = { status: 200, headers: new Headers(), bytes: new Uint8Array() }

  test('sends no request outside of them, and reports each pause once', async () => {
    const clock = clockAt('2026-11-24T05:50:00-07:00')
    const sent: Date[] = []
    const send = () => {
      sent.push(clock.now())
      return clock.wait(60_000).then(() => reply)
    }
    const net = createPoliteClient({ send, health: () => null }, { ...clock, onReply() {} })
    const urls = Array.from({ length: 40 }, (_, i) => `https://a.example/${i}`)
    await Promise.all(urls.map((url) => net.send({ url }, budget)))
    expect(sent.length).toBe(40)
    expect(sent.filter((at) => at.getHours() >= 6 && at.getHours() < 22)).toEqual([])
    expect(clock.pauses).toEqual([new Date('2026-11-24T22:00:00-07:00')])
  })

  test('repeats a failed request only within them', async () => {
    const clock = clockAt('2026-11-24T05:59:58-07:00')
    const sent: string[] = []
    const send = () => {
      sent.push(clock.now().toLocaleTimeString('en-GB'))
      return clock.wait(1_500).then(() => ({ ...reply, status: 200, bytes: new TextEncoder().encode('{') }))
    }
    const net = createPoliteClient({ send, health: () => null }, { ...clock, onReply() {} })
    await net.fetchJson({ url: 'https://a.example/1' }, budget).catch(() => {})
    expect(sent.slice(0, 2)).toEqual(['05:59:58', '22:00:00'])
  })

  test('ends while it pauses when it is aborted', async () => {
    const clock = clockAt('2026-11-24T12:00:00-07:00')
    const controller = new AbortController()
    const abortingWait = (ms: number) => clock.wait(ms).then(() => controller.abort(new Error('interrupted')))
    const hours = createCopyHoursWait(parseCopyHours('22:00-06:00')!, { ...clock, wait: abortingWait })
    expect(await hours(controller.signal).catch((error: Error) => error.message)).toBe('interrupted')
    expect(clock.now().getHours()).toBe(12)
  })
})
