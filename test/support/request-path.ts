/**
 * Sends requests of one kind to the service. `test/request-path.test.ts` runs it under coverage, and finds the lines
 * whose count grows with the number of requests.
 */
import { expect, spyOn, test } from 'bun:test'
import { openUpstreams } from '../upstreams/upstreams.ts'
import { openTestService } from './test-service.ts'

const { REQUEST_KIND: kind = 'embedded', REQUEST_COUNT: count = '1' } = process.env
const fieldsOf: Record<string, string[]> = {
  embedded: ['county'],
  arcgis: ['within_floodplain_polygon'],
  run: ['county', 'within_floodplain_polygon'],
}

test('the requests are answered', async () => {
  // What the service does at intervals is no part of a request, and a busy machine has more of them.
  spyOn(globalThis, 'setInterval').mockReturnValue(setTimeout(() => {}).unref())
  const upstreams = openUpstreams()
  const service = openTestService({ FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: upstreams.url })
  for (let i = 0; i < Number(count); i++) {
    const location = { lat: 39.7 + i / 1000, lng: -104.99 }
    const fields = fieldsOf[kind]!
    if (kind === 'run') await runOf(location, fields)
    else expect(await (await service.post('/v1/fetch', { ...location, fields })).json()).toHaveProperty('fields')
  }
  await service.close()
  upstreams.close()

  async function runOf(location: object, fields: string[]): Promise<void> {
    const submission = await service.post('/v1/runs', {
      kind: 'fetch_batch',
      request: { locations: [location], fields },
    })
    const { run_id } = (await submission.json()) as { run_id: string }
    const isDone = async () => {
      const { status } = (await (await service.send(`/v1/runs/${run_id}?view=summary`)).json()) as { status: string }
      return status === 'done'
    }
    while (!(await isDone())) await Bun.sleep(20)
    expect(await (await service.send(`/v1/runs/${run_id}/artifacts/csv`)).text()).toContain('Denver')
  }
})
