import type { Static } from '@sinclair/typebox'
import type { announced } from './announced.ts'
import { computed } from './computed.ts'
import { embedded } from './embedded.ts'

/** Every protocol we speak. A new one is a new file and a new line here. */
export const drivers = { embedded, computed }

type Settings = { [D in keyof typeof drivers]: (typeof drivers)[D]['config'] } & typeof announced
export type DriverName = keyof Settings

/** How a dataset may be served: a driver's name and that driver's own settings, as one flat record. */
export type Serving = { [D in DriverName]: { driver: D } & Static<Settings[D]> }[DriverName]
