import { afterAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { createHttpServer } from '../../src/http/server.ts'
import { blob, boxRing, polygonWkb } from '../packs/encode-wkb.ts'
import { writePack } from '../packs/write-pack.ts'
import { openHttpService } from '../support/http-service.ts'
import { hasPythonModules, python } from '../support/python.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/**
 * Opens a collection as QGIS does, with the token as the password of Basic authentication. Reads all features and those
 * of a box, and draws the layer. Prints the results as JSON.
 */
const script = `
import json, os, sys
from qgis.core import (QgsApplication, QgsAuthMethodConfig, QgsFeatureRequest, QgsMapRendererParallelJob, QgsMapSettings,
                       QgsRectangle, QgsVectorLayer)
from qgis.PyQt.QtCore import QSize
url, token, collection, profile = sys.argv[1:]
QgsApplication.setPrefixPath('/usr', True)
app = QgsApplication([], True, profile)
app.initQgis()
auth = QgsApplication.authManager()
auth.setMasterPassword('test', True)
login = QgsAuthMethodConfig('Basic')
login.setName('fieldstone')
login.setConfig('username', 'token')
login.setConfig('password', token)
auth.storeAuthenticationConfig(login)
layer = QgsVectorLayer(f"authcfg={login.id()} url='{url}' typename='{collection}'", collection, 'OAPIF')
box = QgsFeatureRequest().setFilterRect(QgsRectangle(-105.001, 38.999, -104.97, 39.05))
settings = QgsMapSettings()
settings.setLayers([layer])
settings.setOutputSize(QSize(100, 100))
settings.setExtent(QgsRectangle(-105, 39, -104, 40))
job = QgsMapRendererParallelJob(settings)
job.start()
job.waitForFinished()
image = job.renderedImage()
colors = {image.pixel(x, y) for x in range(100) for y in range(100)}
print(json.dumps({
  'isValid': layer.isValid(),
  'crs': layer.crs().authid(),
  'fields': [field.name() for field in layer.fields()],
  'count': len(list(layer.getFeatures())),
  'inBox': sorted(feature['ATTRIBUTE'] for feature in layer.getFeatures(box)),
  'isDrawn': len(colors) > 1,
}))
sys.stdout.flush()
os._exit(0)
`

const hasQgis = hasPythonModules('qgis.core')
describe.skipIf(!hasQgis)('QGIS (skipped without the Python package qgis, of the Debian package python3-qgis)', () => {
  const folder = temporaryFolder()
  const wetlands = Array.from({ length: 250 }, (_, i) => {
    const [west, south] = [-105 + (i % 25) / 25, 39 + Math.floor(i / 25) / 10]
    return {
      geom: blob(polygonWkb(boxRing(west, south, west + 0.02, south + 0.05))),
      attributes: { ATTRIBUTE: `PEM${i}`, WETLAND_TYPE: 'Lake', ACRES: 2 },
    }
  })
  writePack(join(folder, 'usfws_nwi.gpkg')).layer('Wetlands', wetlands).close()
  // The links of the documents lead to this port.
  let handle: (request: Request) => Response | Promise<Response> = () => new Response(null, { status: 503 })
  const listener = Bun.serve({ port: 0, fetch: (request) => handle(request) })
  afterAll(() => listener.stop(true))

  test('opens a pack, reads all of its features and those of a box, and draws it', async () => {
    const base_url = `http://127.0.0.1:${listener.port}`
    await using server = await openHttpService({ FIELDSTONE_PACKS: folder, FIELDSTONE_BASE_URL: base_url })
    const { app, token } = server.testService
    await app.packs.waitUntilChecked()
    const http = createHttpServer(app)
    handle = (request) => http.handle(request)
    const child = Bun.spawn([python, '-c', script, `${base_url}/ogc`, token, 'usfws_nwi', folder], {
      env: { ...process.env, QT_QPA_PLATFORM: 'offscreen' },
      stderr: 'pipe',
    })
    const [out, log] = await Promise.all([child.stdout.text(), child.stderr.text()])
    if (!out.startsWith('{')) throw new Error(`QGIS failed: ${log}`)
    expect(JSON.parse(out)).toEqual({
      isValid: true,
      crs: 'EPSG:4326',
      fields: ['fid', 'ATTRIBUTE', 'WETLAND_TYPE', 'ACRES'],
      count: wetlands.length,
      inBox: ['PEM0'],
      isDrawn: true,
    })
  })
})
