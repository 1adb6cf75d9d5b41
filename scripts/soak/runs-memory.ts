import { join } from 'node:path'
import { newFolder, startFieldstone } from '../../test/cli/fieldstone.ts'
import { memory_mb } from '../bench/child.ts'
import { randomOf } from '../bench/random.ts'
import { atMost, type Finding } from './finding.ts'

const atOnce = 10
const rows = 10_000
const fields = ['county_fips', 'county', 'state', 'timezone', 'geohash']
/** A note of this length in each row makes a file of thirty megabytes. */
const longNote_characters = 3000
/** What it may take above idle: submissions of half a megabyte, beside the runs that come of them, and files of thirty. */
const smallMax_mb = 96
const largeMax_mb = 384
const rest_ms = 5000

/** What many submissions of ten thousand rows take that come at the same moment. */
export async function submissionsAtOnce(): Promise<Finding[]> {
  const random = randomOf(20_261_121)
  const place = () => ({ lat: 30 + 15 * random(), lng: -115 + 33 * random() })
  const json = () => ({
    type: 'application/json',
    query: '',
    body: JSON.stringify({ kind: 'fetch_batch', request: { locations: Array.from({ length: rows }, place), fields } }),
  })
  const csv = (note: string) => () => ({
    type: 'text/csv',
    query: `?fields=${fields.join()}`,
    body: `lat,lng,note\n${Array.from({ length: rows }, () => {
      const { lat, lng } = place()
      return `${lat},${lng},${note}\n`
    }).join('')}`,
  })
  return [
    atMost(
      'P13',
      `memory above idle during ${atOnce} submissions in JSON at once`,
      await most(json),
      smallMax_mb,
      'MB',
    ),
    atMost(
      'P13',
      `memory above idle during ${atOnce} submissions in CSV at once`,
      await most(csv('short')),
      smallMax_mb,
      'MB',
    ),
    atMost(
      'P13',
      `memory above idle during ${atOnce} files of 30 MB at once`,
      await most(csv('n'.repeat(longNote_characters))),
      largeMax_mb,
      'MB',
    ),
  ]

  async function most(made: () => { type: string; query: string; body: string }): Promise<number> {
    const { folder, remove } = newFolder()
    const child = startFieldstone(
      ['serve', '--data', join(folder, 'data')],
      { FIELDSTONE_AUTH: 'off', FIELDSTONE_LOG: 'error' },
      folder,
    )
    try {
      const [, address = ''] = await child.said(/answers at (http:\S+)/)
      for (let i = 0; i < 2000; i++)
        await (
          await fetch(`${address}/v1/fetch`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ ...place(), fields }),
          })
        ).arrayBuffer()
      const bodies = Array.from({ length: atOnce }, made)
      await Bun.sleep(rest_ms)
      const idle_mb = memory_mb(child.pid)
      let most_mb = idle_mb
      const looking = setInterval(() => (most_mb = Math.max(most_mb, memory_mb(child.pid))), 20)
      await Promise.all(
        bodies.map(async ({ type, query, body }) => {
          const response = await fetch(`${address}/v1/runs${query}`, {
            method: 'POST',
            headers: { 'content-type': type },
            body,
          })
          if (response.status !== 202) throw new Error(`${response.status}: ${await response.text()}`)
        }),
      )
      clearInterval(looking)
      return most_mb - idle_mb
    } finally {
      child.signal('SIGKILL')
      await child.end()
      remove()
    }
  }
}
