import { expect, test } from 'bun:test'
import { bodyChunks } from '../../src/http/body.ts'

const max_bytes = 1_000_000

/** A request whose body has chunks of these sizes. */
function sentInChunks(sizes: number[]): Request {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const [i, size] of sizes.entries()) controller.enqueue(new Uint8Array(size).fill(i % 251))
      controller.close()
    },
  })
  return new Request('http://localhost/', { method: 'POST', body })
}

test.each([
  ['no chunk', []],
  ['one byte', [1]],
  ['single bytes', Array.from({ length: 200_000 }, () => 1)],
  ['large chunks', [70_000, 300_000]],
  ['small and large ones in turn', [1, 70_000, 10, 65_536, 65_535, 2, 1]],
] as const)(
  'a body that comes as %s is the same bytes, in no more pieces than its size takes',
  async (_name, sizes) => {
    const pieces = await Array.fromAsync(bodyChunks(sentInChunks([...sizes]), max_bytes))
    expect(Buffer.concat(pieces)).toEqual(Buffer.concat(sizes.map((size, i) => new Uint8Array(size).fill(i % 251))))
    const large = sizes.filter((size) => size > 65_536).length
    expect(pieces.length).toBeLessThanOrEqual(
      2 * (large + Math.ceil(sizes.reduce((sum, size) => sum + size, 0) / 65_536)),
    )
  },
)

test('a body above its limit is not read further', async () => {
  expect(
    await Array.fromAsync(bodyChunks(sentInChunks([600_000, 600_000]), max_bytes)).catch((error: unknown) => error),
  ).toMatchObject({ code: 'body_too_large' })
})
