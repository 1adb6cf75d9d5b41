declare module 'ngeohash' {
  const geohash: { encode(lat: number, lng: number, characters: number): string }
  export default geohash
}

declare module 'open-location-code' {
  export class OpenLocationCode {
    encode(lat: number, lng: number, digits: number): string
  }
}
