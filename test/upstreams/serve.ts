import { parseArgs } from 'node:util'
import { openUpstreams } from './upstreams.ts'

// bun test/upstreams/serve.ts --port 9100 --delay_ms 50
const { values } = parseArgs({
  options: { port: { type: 'string', default: '0' }, delay_ms: { type: 'string', default: '0' } },
})
const upstreams = openUpstreams({ port: Number(values.port) })
upstreams.delay(Number(values.delay_ms))
console.log(upstreams.url)
