import { describe, expect, test } from 'bun:test'
import { createFairTurns } from '../../src/async/fair-turns.ts'
import { jsonBytes, pacedJsonResponse, piece_bytes } from '../../src/http/paced-stream.ts'
import { eventStreamResponse } from '../../src/http/sse.ts'

const turns = createFairTurns(4)
const group = new Uint8Array(piece_bytes).fill(0x20)

describe('a long response', () => {
  test('is made only as fast as the client reads it, and not at all after the client has gone', async () => {
    let made = 0
    const pieces = function* () {
      for (;;) {
        made++
        yield group
      }
    }
    const reader = (await pacedJsonResponse(pieces(), turns)).body!.getReader()
    for (let i = 0; i < 10; i++) await reader.read()
    expect(made).toBeLessThanOrEqual(11)
    await reader.cancel()
    const before = made
    await turns(() => {})
    expect(made).toBe(before)
  })

  test('that fails in the middle ends with an error and never looks complete', async () => {
    const pieces = function* () {
      yield group
      yield group
      throw new Error('The entries are gone.')
    }
    const response = await pacedJsonResponse(pieces(), turns)
    expect(response.text()).rejects.toThrow('The entries are gone.')
  })
})

test('a short response is not streamed: it fails before its first byte, or not at all', async () => {
  expect((await pacedJsonResponse(['[', ']'], turns)).headers.get('content-type')).toBe('application/json')
  const pieces = function* () {
    yield '['
    throw new Error('The entries are gone.')
  }
  expect(pacedJsonResponse(pieces(), turns)).rejects.toThrow('The entries are gone.')
})

test('short texts are joined, and no piece is empty, which would end the response', () => {
  expect([...jsonBytes(['{', '"a":', group, group, '', '}'])].map(({ length }) => length)).toEqual([
    5,
    group.length,
    group.length,
    1,
  ])
})

test('a client that leaves 128 KB of events unread is disconnected', () => {
  let stops = 0
  const line = 'x'.repeat(1000)
  eventStreamResponse(new Request('http://localhost'), (events) => {
    for (let id = 1; id <= 150; id++) events.send('status', id, line)
    return () => void stops++
  })
  expect(stops).toBe(1)
})
