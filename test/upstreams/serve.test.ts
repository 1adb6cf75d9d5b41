import { expect, test } from 'bun:test'
import { join } from 'node:path'

test('the simulated services can run as their own process, for measurements', async () => {
  const world = Bun.spawn(
    [process.execPath, '--no-env-file', join(import.meta.dir, 'serve.ts'), '--port', '0', '--delay_ms', '1'],
    { stdout: 'pipe' },
  )
  try {
    const { value } = await world.stdout.getReader().read()
    const url = new TextDecoder().decode(value).trim()
    const answer = await fetch(
      `${url}/hazards.fema.gov/arcgis/rest/services/public/NFHL/MapServer/28/query?where=1%3D1&returnCountOnly=true&f=json`,
    )
    expect(await answer.json()).toEqual({ count: 14 })
  } finally {
    world.kill()
  }
})
