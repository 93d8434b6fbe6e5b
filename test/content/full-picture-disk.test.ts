/** A disk that is really full: an upload fails with a reason, leaves neither file nor row, and works when there is room again. */
import assert from 'node:assert/strict'
import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { createPictures } from '../../src/content/kept-pictures.ts'
import { SYSTEM } from '../../src/store/actor.ts'
import { pictureFiles } from '../../src/store/media/picture-files.ts'
import { samplePicture } from '../../scripts/tools/media/sample-pictures.ts'
import { noSmallDisk, smallDisk } from '../../scripts/tools/small-disk.ts'
import { testStore } from '../../scripts/tools/stores.ts'

const PICTURE_BYTES = 600_000

function large(fill: number): Buffer {
  const jpeg = samplePicture('jpeg progressive')
  return Buffer.concat([jpeg.subarray(0, -2), Buffer.alloc(PICTURE_BYTES, fill), jpeg.subarray(-2)])
}

it('a picture that the disk has no room for leaves nothing, and is taken when there is room', { skip: noSmallDisk }, async (t) => {
  const disk = smallDisk(t, 2)
  const { store } = testStore(t)
  const files = pictureFiles(join(disk, 'media'))
  // The share of the disk is no hindrance: another program may fill it between the look at it and the write.
  const pictures = createPictures({ store, files, limit: () => ({ bytesMax: Number.MAX_SAFE_INTEGER, isDiskShort: false }), now: () => 0 })
  const onDisk = (): number => [...files.all()].flatMap(({ pictures: found, others }) => [...found, ...others]).length
  const first = await pictures.add(large(1), SYSTEM)
  const ballast = join(disk, 'ballast')
  writeFileSync(ballast, Buffer.alloc(statfsSync(disk).bavail * statfsSync(disk).bsize - PICTURE_BYTES / 2))
  const before = statfsSync(disk).bavail
  for (let i = 0; i < 3; i++) {
    await assert.rejects(pictures.add(large(2), SYSTEM), { code: 'networkError', status: 503, message: 'Cannot keep the picture: the disk is full' })
    assert.deepEqual([onDisk(), store.pictures.pictureTotals().pictures], [1, 1])
  }
  assert.ok(before - statfsSync(disk).bavail <= 1, 'the room that a part of a file took is free again')
  assert.ok(files.read(first.picture))
  rmSync(ballast)
  const { picture, isNew } = await pictures.add(large(2), SYSTEM)
  assert.equal(isNew, true)
  assert.equal(files.read(picture)?.length, picture.bytes)
  assert.deepEqual([onDisk(), store.pictures.pictureTotals().pictures], [2, 2])
})
