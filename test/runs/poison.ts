import { newFolder, startFieldstone } from '../cli/fieldstone.ts'
import { services } from '../upstreams/services.ts'
import { openUpstreams } from '../upstreams/upstreams.ts'
import { waitForRun, submitTestRun, type RunDocumentView } from './http-runs.ts'

/** The results of two runs, where one location of the first kills the process on each attempt. */
export type PoisonResult = {
  tries: number
  /** The indexes of the failed locations in the first run. */
  failedIndexes: number[]
  /** The number of answered locations of both runs. */
  answered: number
}

export const poisonAt = 30
const poison_lng = -80.987
const livesMax = 12

/** Starts the real process again and again; a request for the poisonous place kills it. */
export async function runWithPoison(locations: number): Promise<PoisonResult> {
  let tries = 0
  let kill = () => {}
  const upstreams = openUpstreams({
    services: services.map((service) => ({
      host: service.host,
      answer(received) {
        if (received.query.get('geometry')?.startsWith(String(poison_lng))) {
          tries++
          kill()
        }
        return service.answer(received)
      },
    })),
  })
  upstreams.delay(10)
  const { folder, remove } = newFolder()
  const request = (first: number, poisonous: number | null) => ({
    locations: Array.from({ length: locations }, (_, i) => ({
      lat: 25.79,
      lng: i === poisonous ? poison_lng : -80.13 - (first + i) / 10_000,
    })),
    fields: ['fema_flood_zone'],
  })
  const live = async (): Promise<RunDocumentView[] | null> => {
    const it = startFieldstone(
      ['serve', '--data', `${folder}/data`],
      { FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: upstreams.url, FIELDSTONE_AUTH: 'off', FIELDSTONE_LOG: 'error' },
      folder,
    )
    kill = () => it.signal('SIGKILL')
    try {
      const [, address = ''] = await it.waitForOutput(/answers at (http:\S+)/)
      const ids = await Promise.all([
        submitTestRun(address, 'poisoned', request(0, poisonAt)),
        submitTestRun(address, 'beside', request(locations, null)),
      ])
      const documents = await Promise.all(ids.map((id) => waitForRun(address, id)))
      return documents.every((document) => document !== null) ? documents : null
    } catch {
      return null // it was killed
    } finally {
      kill()
      await it.end()
    }
  }
  try {
    for (let life = 1; life <= livesMax; life++) {
      const both = await live()
      if (!both) continue
      const [first = [], second = []] = both.map(({ result }) => result?.results ?? [])
      return {
        tries,
        failedIndexes: first.filter(({ ok }) => !ok).map(({ index }) => index),
        answered: [...first, ...second].filter(({ ok }) => ok).length,
      }
    }
    throw new Error(`It was not given up in ${livesMax} lives.`)
  } finally {
    upstreams.close()
    remove()
  }
}
