import { describe, expect, test } from 'bun:test'
import { createRoundRobin } from '../../src/async/round-robin.ts'
import {
  jsonBytes,
  pacedJsonResponse,
  pacedStream,
  piece_bytes,
  type PacedReader,
} from '../../src/http/runs/paced-stream.ts'
import { eventStreamResponse } from '../../src/http/request/sse.ts'

const turns = createRoundRobin(4)
let slotsTaken = 0
const reader: PacedReader = {
  turns,
  takeSlot() {
    slotsTaken++
    return () => void slotsTaken--
  },
}
const group = new Uint8Array(piece_bytes).fill(0x20)

describe('a long response', () => {
  test('is made only as fast as the client reads it, and not at all after the client has gone', async () => {
    let made = 0
    const pieces = async function* () {
      for (;;) {
        made++
        yield group
      }
    }
    const stream = pacedStream(pieces(), reader).getReader()
    for (let i = 0; i < 10; i++) await stream.read()
    expect(made).toBeLessThanOrEqual(11)
    await stream.cancel()
    const before = made
    await turns(() => {})
    expect(made).toBe(before)
  })

  test('fails before its first byte if a later piece cannot be made', async () => {
    const pieces = function* () {
      yield group
      yield group
      throw new Error('The entries are gone.')
    }
    expect(await pacedJsonResponse(pieces, reader).catch(String)).toBe('Error: The entries are gone.')
    expect(slotsTaken).toBe(0)
  })

  test('that fails in the middle ends with an error and never looks complete', async () => {
    let times = 0
    const pieces = function* () {
      yield group
      yield group
      if (++times > 1) throw new Error('The entries are gone.')
    }
    const response = await pacedJsonResponse(pieces, reader)
    expect(slotsTaken).toBe(1)
    expect(await response.text().catch(String)).toBe('Error: The entries are gone.')
    expect(slotsTaken).toBe(0)
  })
})

test('a short response is not streamed: it fails before its first byte, or not at all', async () => {
  expect((await pacedJsonResponse(() => ['[', ']'], reader)).headers.get('content-type')).toBe('application/json')
  const pieces = function* () {
    yield '['
    throw new Error('The entries are gone.')
  }
  expect(pacedJsonResponse(pieces, reader)).rejects.toThrow('The entries are gone.')
})

test('short texts are joined, and no piece is empty, which would end the response', async () => {
  const pieces = await Array.fromAsync(jsonBytes(['{', '"a":', group, group, '', '}']))
  expect(pieces.map(({ length }) => length)).toEqual([5, group.length, group.length, 1])
})

test('a client that leaves 128 KB of events unread is disconnected', () => {
  let stops = 0
  const line = 'x'.repeat(1000)
  eventStreamResponse(new Request('http://localhost'), reader, (events) => {
    for (let id = 1; id <= 150; id++) events.send('status', id, line)
    return () => void stops++
  })
  expect(stops).toBe(1)
})
