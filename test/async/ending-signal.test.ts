import { describe, expect, test } from 'bun:test'
import { EndingSignal } from '../../src/async/ending-signal.ts'

describe('a signal with an end', () => {
  test('aborts with the other signal, with its reason', () => {
    const parent = new AbortController()
    const signal = new EndingSignal(parent.signal).get()
    expect(signal.aborted).toBe(false)
    parent.abort(new Error('closed'))
    expect(signal.reason).toEqual(new Error('closed'))
  })

  test('aborts at the end, whether it was read before or is read after it', () => {
    const never = new AbortController().signal
    const [before, after] = [new EndingSignal(never), new EndingSignal(never)]
    const signal = before.get()
    before.end()
    after.end()
    expect([signal, before.get(), after.get()].map(({ aborted }) => aborted)).toEqual([true, true, true])
    expect((after.get().reason as DOMException).name).toBe('AbortError')
  })

  test('is one signal', () => {
    const ending = new EndingSignal(new AbortController().signal)
    expect(ending.get()).toBe(ending.get())
  })
})
