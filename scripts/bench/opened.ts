import { memory_mb } from './child.ts'
import { openLayer } from './layers.ts'

// Opens a layer of a GeoPackage and reports time and memory.
const [path, name] = process.argv.slice(2) as [string, string]
Bun.gc(true)
const before_mb = memory_mb(process.pid)
const begin = performance.now()
const layer = openLayer(path, name)
const took_ms = performance.now() - begin
console.log(JSON.stringify({ took_ms, grown_mb: memory_mb(process.pid) - before_mb, bytes: Bun.file(path).size }))
layer.close()
