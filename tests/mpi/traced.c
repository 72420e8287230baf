/* SPDX-License-Identifier: BSD-3-Clause
 * What tracer_test expects can be counted here by hand. Volatile, so that the compiler keeps each access as it stands,
 * and `idle`, so that there are others. Run by two ranks; argv[1] says which part. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static int rank;
static volatile long idle_word;
static volatile double block[64], second[64];

static double* plain(volatile double* at) { return (double*)at; }

/* One access, of a word that no message has. */
static void idle(int accesses) {
  while (accesses-- > 0) idle_word = 1;
}

/* Rank 0 stores element i behind i accesses of others; rank 1 loads the elements backwards, 9 accesses between them. */
static void exchange(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    for (int i = 0; i < 64; ++i) block[i] = 0;
    for (int i = 0; i < 64; ++i) {
      idle(i);
      block[i] = i;
    }
    MPI_Send(plain(block), 64, MPI_DOUBLE, 1, 5, MPI_COMM_WORLD);
  } else {
    MPI_Recv(plain(block), 64, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 63; i >= 0; --i) {
      idle(9);
      (void)block[i];
    }
    (void)block[3]; /* not the first time */
    idle(100);
    MPI_Barrier(MPI_COMM_SELF);
  }
}

/* The same memory twice, and two halves of it that overlap. */
static void reuse(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    for (int i = 0; i < 64; ++i) block[i] = i;
    MPI_Send(plain(block), 64, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
    idle(10);
    for (int i = 0; i < 32; ++i) block[i] = i; /* the second half stays as it was */
    idle(58);
    MPI_Send(plain(block), 64, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD);
    for (int i = 16; i < 48; ++i) block[i] = i;
    MPI_Send(plain(block), 32, MPI_DOUBLE, 1, 3, MPI_COMM_WORLD);
    MPI_Send(plain(block + 16), 32, MPI_DOUBLE, 1, 4, MPI_COMM_WORLD);
    MPI_Sendrecv(plain(block + 16), 32, MPI_DOUBLE, 0, 5, plain(second), 32, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE); /* the same to another rank */
    MPI_Sendrecv(plain(block + 16), 32, MPI_DOUBLE, 0, 6, plain(second), 32, MPI_DOUBLE, 0, 6, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE); /* and again */
  } else {
    MPI_Recv(plain(block), 64, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 64; ++i) (void)block[i];
    MPI_Recv(plain(block), 64, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    idle(20);
    (void)block[40];
    MPI_Recv(plain(block), 32, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* ends the interval of all 64 */
    MPI_Recv(plain(second), 32, MPI_DOUBLE, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    (void)block[40]; /* of no message now */
    (void)second[31];
  }
}

/* A column of an 8 by 8 matrix, by types of all kinds; element i is stored i-th. */
static void types(void) {
  MPI_Datatype all[8];
  int lengths[8], places[8];
  MPI_Aint bytes[8];
  MPI_Datatype kinds[8];
  int sizes[2] = {8, 8}, parts[2] = {8, 1}, starts[2] = {0, 0};
  MPI_Datatype row;
  for (int i = 0; i < 8; ++i) {
    lengths[i] = 1;
    places[i] = 8 * i;
    bytes[i] = 64 * i;
    kinds[i] = MPI_DOUBLE;
  }
  MPI_Type_vector(8, 1, 8, MPI_DOUBLE, &all[0]);
  MPI_Type_create_hvector(8, 1, 64, MPI_DOUBLE, &all[1]);
  MPI_Type_indexed(8, lengths, places, MPI_DOUBLE, &all[2]);
  MPI_Type_create_hindexed(8, lengths, bytes, MPI_DOUBLE, &all[3]);
  MPI_Type_create_indexed_block(8, 1, places, MPI_DOUBLE, &all[4]);
  MPI_Type_create_struct(8, lengths, bytes, kinds, &all[5]);
  MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_DOUBLE, &all[6]);
  MPI_Type_create_resized(MPI_DOUBLE, 0, 64, &row);
  MPI_Type_contiguous(8, row, &all[7]);
  MPI_Type_free(&row);
  for (int i = 0; i < 8; ++i) {
    MPI_Type_commit(&all[i]);
    if (rank == 0) {
      for (int j = 0; j < 8; ++j) block[8 * j] = j;
      for (int j = 0; j < 8; ++j) block[8 * j + 1] = j; /* beside it */
      MPI_Send(plain(block), 1, all[i], 1, i, MPI_COMM_WORLD);
    } else {
      MPI_Recv(plain(block), 1, all[i], 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      for (int j = 0; j < 8; ++j) (void)block[8 * j + 1]; /* what no message has brought */
      for (int j = 0; j < 8; ++j) (void)block[8 * j];
    }
    MPI_Type_free(&all[i]);
  }
}

/* Wildcards, persistent requests, tests that are not true, cancelled receives, and all ways to wait. */
static void requests(void) {
  MPI_Request some[3];
  MPI_Status status;
  int flag = 0, place = 0, count = 0, places[3];
  MPI_Comm copy, half;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &half); /* in which the ranks change places */
  if (rank == 0) {
    MPI_Send_init(plain(block), 8, MPI_DOUBLE, 1, 7, copy, &some[0]);
    for (int step = 0; step < 3; ++step) {
      for (int i = 0; i < 8; ++i) block[i] = i;
      MPI_Start(&some[0]);
      MPI_Wait(&some[0], MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&some[0]);
    MPI_Isend(plain(block), 4, MPI_DOUBLE, 0, 8, half, &some[0]); /* to rank 1 of all */
    MPI_Issend(plain(block), 4, MPI_DOUBLE, 1, 9, copy, &some[1]);
    MPI_Irecv(plain(second), 1, MPI_DOUBLE, 1, 99, copy, &some[2]);
    MPI_Cancel(&some[2]);
    MPI_Waitall(3, some, MPI_STATUSES_IGNORE);
    MPI_Sendrecv(plain(block), 8, MPI_DOUBLE, 1, 10, plain(second), 8, MPI_DOUBLE, 1, 11, MPI_COMM_WORLD, &status);
    MPI_Sendrecv(plain(block), 8, MPI_DOUBLE, MPI_PROC_NULL, 12, plain(second), 8, MPI_DOUBLE, MPI_PROC_NULL, 12,
                 MPI_COMM_WORLD, &status);
  } else {
    MPI_Recv_init(plain(block), 8, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, copy, &some[0]);
    for (int step = 0; step < 3; ++step) {
      MPI_Start(&some[0]);
      if (step == 0) MPI_Wait(&some[0], &status);
      if (step == 1)
        for (flag = 0; !flag;) MPI_Test(&some[0], &flag, MPI_STATUS_IGNORE);
      if (step == 2) MPI_Waitany(1, some, &place, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&some[0]);
    MPI_Irecv(plain(block), 8, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, half, &some[0]); /* more room than is needed */
    MPI_Irecv(plain(second), 4, MPI_DOUBLE, MPI_ANY_SOURCE, 9, copy, &some[1]);
    for (int ended = 0; ended < 2; ended += count) MPI_Waitsome(2, some, &count, places, MPI_STATUSES_IGNORE);
    MPI_Probe(MPI_ANY_SOURCE, 10, MPI_COMM_WORLD, &status);
    MPI_Sendrecv(plain(block), 8, MPI_DOUBLE, 0, 11, plain(second), 8, MPI_DOUBLE, status.MPI_SOURCE, MPI_ANY_TAG,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Comm_free(&copy);
  MPI_Comm_free(&half);
}

/* A copy loads and stores each word in turn. */
static void copies(void) {
  static double packed[8];
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    for (int i = 0; i < 8; ++i) block[i] = i;
    idle(8);
    memcpy(packed, plain(block), sizeof packed);
    MPI_Send(packed, 8, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
  } else {
    MPI_Recv(packed, 8, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    idle(4);
    memcpy(plain(block), packed, sizeof packed);
  }
}

static void collectives(void) {
  double sum[4] = {0}, all[8] = {0};
  int counts[2] = {1, 3}, places[2] = {0, 1};
  MPI_Request request;
  MPI_Bcast(all, 8, MPI_DOUBLE, 1, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, all, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allgatherv(sum, counts[rank], MPI_DOUBLE, all, counts, places, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Ireduce(all, sum, 4, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  char const* part = argc > 1 ? argv[1] : "";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (strcmp(part, "exchange") == 0) exchange();
  if (strcmp(part, "reuse") == 0) reuse();
  if (strcmp(part, "types") == 0) types();
  if (strcmp(part, "requests") == 0) requests();
  if (strcmp(part, "copies") == 0) copies();
  if (strcmp(part, "collectives") == 0) collectives();
  if (strcmp(part, "dies") == 0) {
    exchange();
    if (rank == 1) abort();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
