// How much room there is where the embedded server keeps its data.
import { statfs } from 'node:fs/promises';

export async function freeBytes(dir: string): Promise<number> {
  const { bavail, bsize } = await statfs(dir);
  return bavail * bsize;
}
