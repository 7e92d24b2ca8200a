import { stripVTControlCharacters } from 'node:util'

/** Lines of columns that stand below each other; the last column is as long as it is. Widths count what a terminal shows. */
export function tableOf(rows: readonly (readonly string[])[]): readonly string[] {
  const columns = Math.max(0, ...rows.map((row) => row.length))
  const widths = Array.from({ length: columns }, (_, column) => Math.max(...rows.map((row) => widthOf(row[column] ?? ''))))
  return rows.map((row) =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell))))
      .join('  ')
      .trimEnd(),
  )
}

const widthOf = (cell: string): number => [...new Intl.Segmenter().segment(stripVTControlCharacters(cell))].length
