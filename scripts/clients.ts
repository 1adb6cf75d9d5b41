/** Writes the Python and the TypeScript client to dist/clients. */
import { join } from 'node:path'
import { root } from './build/root.ts'
import { writeClients } from './clients/write-clients.ts'

await writeClients(join(root, 'dist', 'clients'))
