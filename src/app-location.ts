import { servedPackFolderOf } from './app-packs.ts'
import type { AppCore, AppSources } from './app-sources.ts'
import { createOverlayWorker } from './areas/shape/overlay-worker.ts'
import { openAccess, type Access } from './auth/access.ts'
import { createFetchContexts } from './fetch-contexts.ts'
import type { AdmissionQueue } from './fetch/admission.ts'
import type { HttpClient } from './net/http-client.ts'
import { openAddressPackFolder, type AddressPackFolder } from './packs/addresses/address-pack-folder.ts'
import type { GeocodeLimits } from './place/geocoders/geocoder.ts'
import { createPlaces, type Places } from './place/places.ts'
import type { ServerProcess } from './server-process.ts'
import type { Store } from './store/store.ts'

/** The account under which the service records addresses that it geocodes for itself. */
const systemAccount = 'system'

/** Limits in milliseconds instead of those of geocoding, and of the overlays of one area. */
export type WorkLimits = { geocode?: GeocodeLimits; overlay?: number }

type LocationDeps = Pick<AppSources, 'embedded' | 'net' | 'snapshot'> & {
  checkPack: AppSources['checkPack']
  documentClient: HttpClient | null
  limits_ms: WorkLimits
  admission: AdmissionQueue
  startOverlayWorker: () => Worker
}

/** Opens the services that a request needs before its fields are answered: geocoding, accounts and admission. */
export function openLocationServices(
  { config, now, log, telemetry, scheduler, serverProcess, isShared, callOnce, adopt }: AppCore,
  { embedded, net, snapshot, checkPack, documentClient, limits_ms, admission, startOverlayWorker }: LocationDeps,
  store: Store,
  randomBytes: (size: number) => Uint8Array,
) {
  const addressPacks = adopt(openAddressPackFolder(servedPackFolderOf(config), { now, check: checkPack }))
  const places = createPlaces({
    embedded,
    packs: addressPacks,
    net,
    geocodioKey: config.keys.get('GEOCODIO_API_KEY') ?? null,
    store,
    callOnce,
    randomBytes,
    now,
    log,
    onGeocode: telemetry.countGeocode,
    ...(limits_ms.geocode && { limits_ms: limits_ms.geocode }),
  })
  scheduler.addRetention('places', places.sweep)
  const access = adopt(openAccess({ store, documentClient, config, isShared, now, randomBytes, log }))
  if (serverProcess) shareSignInLink(access, serverProcess)
  scheduler.addRetention('access', access.sweep)
  const overlayWorker = adopt(createOverlayWorker(startOverlayWorker, limits_ms.overlay))
  const fetchContexts = createFetchContexts({
    snapshot,
    places,
    access,
    admission,
    overlayWorker,
    telemetry,
    now,
    log,
  })
  return { addressPacks, places, admission, access, fetchContexts }
}

/** Returns the geocoding services that the interfaces use. */
export function placeServicesOf({ addressPacks, places }: { addressPacks: AddressPackFolder; places: Places }) {
  const { geocoders, classify, warm: warmPlaces, locateFor } = places
  return { addressPacks, geocoders, classify, warmPlaces, locate: locateFor(systemAccount) }
}

/**
 * Lets every process redeem the code of the sign-in link. The first process prints the link, so only it knows the code.
 */
function shareSignInLink({ signInLink }: Access, serverProcess: ServerProcess): void {
  const { redeem } = signInLink
  serverProcess.handle('redeem_sign_in', (code) => redeem(String(code)))
  signInLink.redeem = async (code) =>
    (await serverProcess.callFirst({ name: 'redeem_sign_in', argument: code })) === true
}
