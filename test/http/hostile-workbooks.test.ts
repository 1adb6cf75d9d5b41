import { afterAll, expect, test } from 'bun:test'
import { ApiError, type Violation } from '../../src/model/error.ts'
import { openUploadText } from '../../src/runs/upload/upload-table.ts'
import { createWorkbookConverter } from '../../src/runs/upload/workbook-converter.ts'
import { craftWorkbook, workbookOfZeros } from '../support/crafted-workbooks.ts'
import { openHttpService } from '../support/http-service.ts'

const service = await openHttpService()
afterAll(service.close)

const upload = (workbook: Buffer) =>
  service.ask('/v1/runs?fields=geohash', {
    method: 'POST',
    headers: { 'content-type': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', prefer: 'wait=30' },
    body: new Uint8Array(workbook),
  })
const messageOf = async (response: Response) => {
  expect(response.status).toBe(422)
  return ((await response.json()) as { detail: Violation[] }).detail.map(({ msg }) => msg).join()
}
const textCell = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`
const header = `<row>${textCell('lat')}${textCell('lng')}</row>`

test('an uploaded workbook is parsed in a worker, not on the thread that serves requests', async () => {
  const response = await upload(
    craftWorkbook(`${header}<row><c><v>39.739199999999997</v></c><c><v>-104.9903</v></c></row>`),
  )
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({ result: { results: [{ ok: true, lat: 39.7392, lng: -104.9903 }] } })
  expect(await (await service.testService.send('/metrics')).text()).toContain(
    'fieldstone_worker_starts_total{worker="workbook"} 1',
  )
})

test('a workbook of 30 MB is handed to the worker in pieces, and others have their turns meanwhile', async () => {
  const chunk = new Uint8Array(65_536).fill(0x20)
  async function* chunks() {
    yield Uint8Array.of(0x50, 0x4b, 0x03, 0x04)
    for (let i = 0; i < 480; i++) {
      await Promise.resolve(Bun.SHA256.hash(chunk))
      yield chunk
    }
  }
  let [turns, received_bytes] = [0, 0]
  const counting = setInterval(() => turns++)
  const { isSpreadsheet } = await openUploadText(chunks(), {}, (pieces) => {
    received_bytes = pieces.reduce((sum, { length }) => sum + length, 0)
    return Promise.resolve(new TextEncoder().encode('lat,lng\r\n'))
  })
  clearInterval(counting)
  expect([isSpreadsheet, received_bytes]).toEqual([true, 4 + 480 * chunk.length])
  expect(turns).toBeGreaterThan(1)
})

const sharedCells = (cells: number) => `<row>${'<c t="s"><v>0</v></c>'.repeat(cells)}</row>`
const sharedText = (length: number) => `<sst><si><t>${'x'.repeat(length)}</t></si></sst>`
test.each([
  ['that inflates beyond the limit', () => workbookOfZeros(2), 'The file is not a valid workbook'],
  [
    'whose cells share a long text',
    () => craftWorkbook(sharedCells(1000).repeat(40), sharedText(1000)),
    'more than 32 MB as CSV',
  ],
  [
    'with two rows of 32 MB',
    () => craftWorkbook(sharedCells(1000).repeat(2), sharedText(32_767)),
    'more than 32 MB as CSV',
  ],
  [
    'with a cell longer than the format allows',
    () => craftWorkbook(sharedCells(1), sharedText(32_768)),
    'more than 32767 characters',
  ],
])('a workbook %s is rejected', async (_what, make, message) => {
  expect(await messageOf(await upload(make()))).toContain(message)
})

test('a worker that dies is worker_lost, and the next workbook is read', async () => {
  let starts = 0
  const good = () => new Worker(new URL('../../src/workers/workbook.ts', import.meta.url))
  const bad = () => new Worker('data:text/javascript,self.onmessage=()=>process.exit(1)')
  const converter = createWorkbookConverter(() => (++starts === 1 ? bad() : good()))
  const workbook = () => [new Uint8Array(craftWorkbook(header))]
  const lost = await converter.convert(workbook(), undefined).catch((error: unknown) => error)
  expect(lost).toBeInstanceOf(ApiError)
  expect(lost).toMatchObject({ code: 'worker_lost', retryable: true })
  expect(new TextDecoder().decode(await converter.convert(workbook(), undefined))).toBe('"lat","lng"\r\n')
  converter.close()
})
