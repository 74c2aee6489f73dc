package io.aragonite.exec.device.cuda;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The kernels of the jar: a family is a file {@code src/main/cuda/kernels/NAME.cu}, which the build
 * makes {@code NAME.fatbin} of. Names are listed as a shell would expand them; {@code
 * KernelFamilyTest} compares them with what nvcc has compiled, so that neither side has a kernel
 * that the other does not know.
 */
enum KernelFamily {
  BLOCK_SORT("ara_sort_few"),
  CONVERT("ara_convert ara_unpack"),
  FILL("ara_fill{,_unaligned} ara_iota{,_unaligned} ara_add ara_bring{,_all}"),
  FOLD("ara_fold_{count,sum1,sum2,sum3,sumd,max,or,xor}_{all,few,block,many}"),
  FOLD_RESULT("ara_result_{inspect,write,floats,validity,sign,widen_max,restart,add,single}"),
  FOLD_TEXT("ara_text_fold_{best,lengths,copy,offsets}"),
  GATHER(
      "ara_gather_{1,2,4,8,16,widen,codes,translate,ids} ara_scatter_{1,2,4,8,16} ara_mark"
          + " ara_rehash ara_copy_bits ara_shift_offsets"),
  GATHER_TEXT("ara_text_{split,copy,collect}"),
  GROUP_TABLE("ara_group_{bits,assign_direct,assign_hashed,first,number,resolve,grow,to_hashed}"),
  HASH_BUILD(
      "ara_hash_bounds{,_4} ara_hash_insert_{direct,packed,wide}{,_4} ara_hash_used_direct"
          + " ara_hash_ranges_{direct,packed,wide} ara_hash_{count,seal,scatter}"),
  HASH_BUILD_SORTED("ara_hash_keys_{4,8}_{4,8} ara_hash_place_{direct_4,packed_4,packed_8,wide_8}"),
  HASH_FETCH("ara_hash_fetch_{direct,packed,wide}{,_4}"),
  HASH_PROBE(
      "ara_hash_{lookup,match,locate}_{direct,packed,wide}{,_4}"
          + " ara_hash_{lookup,match,locate}_packed32{,_ordered}_4"
          + " ara_hash_{firsts,compact,expand,filter,list_ranges}"
          + " ara_hash_{lookup,match}_filtered{,_4}"),
  HUB_BITMAP("ara_hub_{window,rows} ara_hub_count{2,3,4}"),
  INTERPRET("ara_interpret"),
  KEY_FILTER("ara_filter_{add,test}"),
  NORMALIZED_KEYS("ara_sort_digit ara_value_range ara_keep_ties"),
  PACKED_KEYS("ara_key_places_{4,8} ara_key_{starts,pack,pieces,unpack}"),
  PAGE("ara_page_{decompress,decode,texts}"),
  PARTITION(
      "ara_rows_{count,sizes,edges}_{4,8} ara_rows_starts ara_rows_{sweep,place}_{4_4,4_8,8_8}"
          + " ara_narrow_{4,8}"),
  PARTITION_JOIN("ara_parts_pieces ara_parts_join_{4,8}"),
  PERFECT_HASH(
      "ara_perfect_hash_bits_{4,8} ara_perfect_hash_{fill,fetch}_{4,8}_{4_4,8_4,16_4,8_8,16_8}"),
  RADIX_HISTOGRAM("ara_digits_{4,8} ara_digit_{starts,bounds}"),
  RADIX_SORT("ara_sweep_{4,8}_{4,8}"),
  RUN_LENGTH_ENCODE("ara_run_starts{,_4} ara_ascending_runs{,_4} ara_select_write"),
  SCAN("ara_exclusive_sum{,_large} ara_text_offsets ara_length_offsets"),
  SEARCH(
      "ara_bound{,_samples,_by_samples} ara_merge_path ara_expand{,_split} ara_falls"
          + " ara_match_sorted"),
  SEGMENTED_REDUCE(
      "ara_segment_{split,rows,count,sum1,sum2,sum3,sumd,max,or,xor,bounded}"
          + " ara_segment_{short,long}_{count,sum1,sum2,sumd,max}"),
  SELECT("ara_select{,_bits,_up_to}"),
  SELECT_IDS("ara_select_ids"),
  TRIE("ara_trie_{shift,runs,starts,ranges,weigh} ara_trie_{match,count}{1,2,3,_n}"),
  TRIE_BITMAP("ara_trie_{held,lengths,count_held}"),
  TRIE_JOIN("ara_walk_{count,units,emit}");

  private final Set<String> kernels;

  KernelFamily(String names) {
    Set<String> all = new LinkedHashSet<>();
    for (String name : names.split(" ", -1)) {
      all.addAll(expanded(name));
    }
    kernels = Set.copyOf(all);
  }

  private static List<String> expanded(String name) {
    int open = name.indexOf('{');
    if (open < 0) {
      return List.of(name);
    }
    int close = name.indexOf('}', open);
    List<String> all = new ArrayList<>();
    for (String one : name.substring(open + 1, close).split(",", -1)) {
      all.addAll(expanded(name.substring(0, open) + one + name.substring(close + 1)));
    }
    return all;
  }

  /** The name of the source file and of the fatbin, without their endings. */
  String fileName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The names of its kernels. */
  Set<String> kernels() {
    return kernels;
  }
}
