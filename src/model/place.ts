/** A point in WGS 84 degrees, latitude first. */
export type Point = { lat: number; lng: number }

/** The regions that coverage is stated in: the 48 states and DC, Alaska, Hawaii, and the five territories. */
export type Region = 'conus' | 'ak' | 'hi' | 'pr' | 'vi' | 'gu' | 'as' | 'mp'

/**
 * A point, how it was given, and its region. The region is null inside the US envelope but outside the United States.
 */
export type Place = Point & { source: 'coordinate' | 'address'; region: Region | null }
