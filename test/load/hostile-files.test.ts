import { expect, test } from 'bun:test'
import { measureFiles, measurePlantedFaults } from '../../scripts/soak/hostile-files.ts'
import { hostileInputs } from '../../scripts/soak/hostile-inputs.ts'

/** The short form checks no times, because test machines are busy. */
const isTime = ({ target }: { target: string }) => target.endsWith(' ms')
const names = [
  'a JSON table nested 10 million levels deep',
  'a remote GeoTIFF whose LZW tile inflates to 64 MiB',
  'a pack with a geometry that declares 4 billion vertices',
  'a link to /dev/zero as a catalog file',
]
const inputs = hostileInputs.filter(({ name }) => names.includes(name))

test('hostile files are read in bounded memory', async () => {
  expect(inputs.length).toBe(names.length)
  const { findings } = await measureFiles(inputs)
  expect(findings.filter((it) => !it.pass && !isTime(it))).toEqual([])
}, 120_000)

test('the suite of hostile files sees a file with another fate', async () => {
  const { findings } = await measureFiles([{ ...inputs.at(-1)!, fate: /^accepted$/ }])
  expect(findings.filter((it) => !it.pass && !isTime(it))).toMatchObject([
    { figure: expect.stringContaining('not a regular file') as string, target: '/^accepted$/' },
  ])
})

test('the suite of hostile files sees a process that takes memory, and one that blocks', async () => {
  const [seen] = await measurePlantedFaults()
  expect(seen).toMatchObject({ figure: expect.stringContaining('planted faults') as string, pass: true })
})
