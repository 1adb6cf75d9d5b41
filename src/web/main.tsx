import { render } from 'preact'
import { openAddress } from './address.ts'
import { openApi } from './api.ts'
import { openLibrary } from './library.ts'
import { openLook } from './look.ts'
import { openSession } from './session.ts'
import { Shell } from './shell.tsx'
import { trustOwnScripts } from './trusted.ts'

trustOwnScripts()
const api = openApi()
const session = openSession(api)
const dashboard = { api, session, address: openAddress(window), look: openLook(window), library: openLibrary(api) }
void session.refresh()
render(<Shell dashboard={dashboard} />, document.querySelector('#page')!)
