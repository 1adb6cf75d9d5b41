import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { openHouse } from '../house.ts'
import { ballast_bytes, hasBallast, layBallast, makeRoom } from '../../src/store/ballast.ts'
import { newDisk } from './disk-of-its-own.ts'

const disks = [newDisk(160), newDisk(64)]
const [large, small] = disks
afterAll(() => disks.forEach((disk) => disk?.remove()))
const full = Object.assign(new Error('full'), { code: 'SQLITE_FULL' })

describe.skipIf(!large || !small)('the ballast', () => {
  test('is laid where there is plenty of room, once, and not where there is little', async () => {
    await layBallast(large!.folder)
    await layBallast(large!.folder)
    await layBallast(small!.folder)
    expect([hasBallast(large!.folder), hasBallast(small!.folder), readdirSync(large!.folder), readdirSync(small!.folder)]).toEqual([true, false, ['ballast'], []])
  })

  test('goes when the disk is full and for nothing else, and gives its room back', async () => {
    await layBallast(large!.folder)
    makeRoom(large!.folder, Object.assign(new Error('busy'), { code: 'SQLITE_BUSY' }))
    expect(hasBallast(large!.folder)).toBe(true)
    const empty = large!.fill(0)
    makeRoom(large!.folder, full)
    const { bavail, bsize } = statfsSync(large!.folder)
    expect([hasBallast(large!.folder), bavail * bsize >= ballast_bytes]).toEqual([false, true])
    makeRoom(large!.folder, full)
    empty()
  })

  test('lets a run that was accepted end on a full disk', async () => {
    const data = join(large!.folder, 'data')
    mkdirSync(data)
    await layBallast(data)
    const house = openHouse({ FIELDSTONE_DATA: data })
    const locations = Array.from({ length: 3000 }, (_, i) => ({ lat: 39 + i / 10_000, lng: -104.9 }))
    const { run_id } = (await (await house.post('/v1/runs', { kind: 'fetch_batch', request: { locations, fields: ['county', 'geohash', 'timezone'] } })).json()) as { run_id: string }
    const empty = large!.fill(0)
    const run = await house.app.runs.untilFinished({ id: 'owner', name: 'owner', scopes: new Set() }, run_id, AbortSignal.timeout(60_000))
    expect([run.status, run.ok, hasBallast(data)]).toEqual(['succeeded', 3000, false])
    empty()
    house.close()
  })
})
