/**
 * What must be in the text of a projected system, by its method in WKT 1 (of GDAL and of Esri) and WKT 2. proj4 was
 * compared with PROJ for these methods. It guesses parameters that are missing, and reads others wrongly.
 */
const origin = { needsLatitude: true }
const aroundEquator = { needsLatitude: false }
/** proj4 ignores a standard parallel, or adds it: only the equator is right. */
const equatorOnly = { needsLatitude: false, isAtEquator: true }
const methods: Record<string, { needsLatitude: boolean; isAtEquator?: boolean }> = {
  albers: origin,
  albers_conic_equal_area: origin,
  albers_equal_area: origin,
  american_polyconic: origin,
  azimuthal_equidistant: origin,
  double_stereographic: origin,
  equidistant_conic: origin,
  equidistant_cylindrical: equatorOnly,
  equirectangular: equatorOnly,
  hotine_oblique_mercator: origin,
  hotine_oblique_mercator_azimuth_natural_origin: origin,
  lambert_azimuthal_equal_area: origin,
  lambert_conformal_conic: origin,
  lambert_conformal_conic_1sp: origin,
  lambert_conformal_conic_2sp: origin,
  lambert_conic_conformal_1sp: origin,
  lambert_conic_conformal_2sp: origin,
  mercator: equatorOnly,
  mercator_1sp: equatorOnly,
  mercator_auxiliary_sphere: equatorOnly,
  mercator_variant_a: equatorOnly,
  mollweide: aroundEquator,
  oblique_stereographic: origin,
  polar_stereographic: origin,
  polar_stereographic_variant_a: origin,
  polar_stereographic_variant_b: aroundEquator,
  polyconic: origin,
  popular_visualisation_pseudo_mercator: equatorOnly,
  robinson: aroundEquator,
  sinusoidal: aroundEquator,
  transverse_mercator: origin,
}

/** Whether proj4 reads a definition as PROJ does. Longitudes must be from Greenwich. */
export function isReadAsByProj(text: string): boolean {
  const meridian = /PRIMEM\s*\[\s*"[^"]*"\s*,\s*([-+\d.eE]+)/i.exec(text)?.[1] ?? '0'
  if (Number(meridian) !== 0 || /\+pm=(?!0\b|greenwich\b)/i.test(text)) return false
  if (!/^\s*PROJ[A-Z]*\[/i.test(text)) return true
  const name = /(?:PROJECTION|METHOD)\s*\[\s*"([^"]*)"/i.exec(text)?.[1] ?? ''
  const method =
    methods[
      name
        .toLowerCase()
        .replace(/[^a-z\d]+/g, '_')
        .replace(/_$/, '')
    ]
  if (!method || !/"(?:central_meridian|longitude[_ ]of)/i.test(text)) return false
  if (method.needsLatitude && !latitudeOfOrigin.test(withDefaultLatitude(text))) return false
  const parallel = /"(?:standard_parallel_1|Latitude of 1st standard parallel)"\s*,\s*([-+\d.eE]+)/i.exec(text)?.[1]
  return !method.isAtEquator || Number(parallel ?? 0) === 0
}

const latitudeOfOrigin = /"latitude[_ ]of[_ ](?:\w+[_ ])?(?:origin|center|centre)/i
/** The method of WKT 1 whose latitude of origin is the equator if the text has none. */
const methodAtEquator = /PROJECTION\[\s*"(?:Albers|Lambert_Conformal_Conic|Transverse_Mercator)[^\]]*\]\s*,/i

/** Adds the latitude of origin that PROJ assumes: proj4 would assume another one. */
export function withDefaultLatitude(text: string): string {
  if (latitudeOfOrigin.test(text)) return text
  return text.replace(methodAtEquator, '$&PARAMETER["latitude_of_origin",0],')
}
