/** The definitions of EPSG codes, as text: `module.exports={"EPSG:4326":["EPSG:4326","+proj=longlat …"],…};`. */
declare module 'proj4-list/dist/list.min.js' {
  const text: string
  export default text
}
